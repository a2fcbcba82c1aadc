"""A scenario for every attack of the catalogue: one TOML file each, named like the scenario in it.

Each says at its head what happens, and which line stops it or raises an alarm. Nothing is imported
here.
"""
