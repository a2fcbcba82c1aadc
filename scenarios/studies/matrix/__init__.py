"""The attack matrix: each attack without and with each countermeasure, its file and its tables.

May import `lab`, `records` and `attacks`. Must never know an attack by its name.
"""
