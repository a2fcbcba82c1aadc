"""The lessons: pages to guess on and to drag, a hand-out each, and a server for a class's phones.

A lesson teaches pupils a privacy risk: they guess a number, see the true number, and change
parameters by dragging. Here are the records of lessons, their tables of numbers, the pages and the
class's guesses. May import all packages that the theatre (the page that shows a run) may, and the
theatre. Must never know how a number of a table is computed (`tools/lesson_N_table.py`), nor which
pupil made a guess.
"""
