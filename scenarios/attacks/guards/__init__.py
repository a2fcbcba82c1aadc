"""The guards (countermeasures), one file each: key, stopped attacks, price and trial.

A file is called like its guard and holds a single `GUARD`, which names the files that enforce it; a
guard that is a key of `[defence]` has its line in schema/model.py besides. May import `catalogue`
and, if a guard uses them, the parties of `roles`. Must never know the outcome of an attack.
"""
