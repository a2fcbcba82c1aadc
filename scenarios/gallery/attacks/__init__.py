"""A scenario for every attack of the catalogue: one TOML file each, named like the scenario in it.

Comments at the head of each describe the attack, and the line that stops it or raises an alarm.
Most extend a shipped scenario and hold the difference. This folder imports no module.
"""
