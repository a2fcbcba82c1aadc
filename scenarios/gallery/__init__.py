"""The scenarios that veilmix ships: one TOML file each, named like the scenario in it.

`veilmix run NAME` plays one, `veilmix new` copies one to start from. Nothing is imported here.
"""
