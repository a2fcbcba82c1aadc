"""The guards, one file each: its key, the attacks that it stops, its price and its trial.

A file is called like its guard and holds a single `GUARD`, which names the files it is held in; a
guard that is a key of `[defence]` has its line in schema/model.py besides. May import `catalogue`
and, if a guard uses them, the parties of `roles`. Must never know the outcome of an attack.
"""
