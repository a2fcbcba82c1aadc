"""The scenarios that veilmix ships, a TOML file each; file and scenario have the same name.

`veilmix run NAME` plays a scenario, `veilmix new` copies a scenario as a start. This folder has no
code.
"""
