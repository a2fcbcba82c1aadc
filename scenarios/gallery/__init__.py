"""The scenarios that veilmix ships: one TOML file each, named like the scenario in it.

`veilmix run NAME` plays a scenario, `veilmix new` copies a scenario as a start. This folder imports
no module.
"""
