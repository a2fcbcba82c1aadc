"""The search for attacks over a space of deviations: its trials, its file and its tables.

May import `lab`, `attacks` and the search of `protocol`. Must never know an attack by its name: it
tries deviations, and compares the coalition's views of sessions.
"""
