"""The attack matrix: the measured success of each attack without and with each countermeasure.

Here live its plan, its runs, its file and its tables. May import `lab`, `records` and `attacks`.
Must never treat an attack specially by its name.
"""
