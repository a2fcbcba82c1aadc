"""The exposure of a run at every threshold k, and of every set of its columns, with bounds.

May import `programs`, `records` and the computations of `analysis`. Must never play a session.
"""
