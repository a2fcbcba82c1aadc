"""A scenario for every attack of the catalogue, a TOML file each; file and scenario share a name.

Comments at the top of a file describe the attack, and name the setting that stops the attack or
raises an alarm. Most files extend a shipped scenario, and state only the settings that differ. This
folder has no code.
"""
