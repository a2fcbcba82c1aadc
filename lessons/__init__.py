"""The lessons: pages to guess on and to drag, a hand-out each, and a server for a class's phones.

Here live the records of lessons, their tables of numbers, the pages and the class's guesses. May
import all rooms that the theatre may, and the theatre. Must never know how a number of a table is
computed (`tools/lesson_N_table.py`), nor which pupil made a guess.
"""
