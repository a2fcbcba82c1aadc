"""The lessons: pages on which pupils guess and drag, hand-outs, and a server for a class's phones.

A lesson teaches pupils a privacy risk: they guess a number, see the true number, and change
parameters by dragging. This package has the records of lessons, their tables of numbers, the pages,
and the class's guesses. May import the theatre (the page that shows a run), and all packages that
the theatre may import. Must never know how a number of a table is computed
(`tools/lesson_N_table.py`), nor which pupil made a guess.
"""
