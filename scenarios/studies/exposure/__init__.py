"""The exposure of a run at every k, and of every set of its columns, with the bounds for each.

May import `programs`, `records` and the numbers of `analysis`. Must never play a session.
"""
