"""The guards (countermeasures), a file each: its setting, the attacks that it stops, and its price.

The price is a sentence on the costs and side effects of the guard. A file has the name of its guard
and holds a single `GUARD`, which names the files that enforce it. A guard with a key in the table
`[defence]` also has a line in schema/model.py. May import `catalogue` and, if a guard uses them,
the parties of `roles`. Must never know the outcome of an attack.
"""
