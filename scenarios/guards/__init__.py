"""The guards, one file each: what it switches on, what it stops, its price, its trial.

A file is called like its guard and holds one `GUARD`, which names the files it is held in; a guard
that is a key of `[defence]` has its line in schema/model.py besides. May import `catalogue` and,
where it is used, the parties of `roles`. Must never know what an attack achieves.
"""
