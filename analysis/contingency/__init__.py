"""All tables with given margins: the Frechet class, cuts, the integer program, bounds on it.

May import `exposure` and the ground files. Must never know what a margin means: crowds, columns and
promises are of the rooms above.
"""
