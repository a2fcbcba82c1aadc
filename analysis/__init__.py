"""Numbers only: how anonymous people are, what may be promised, what a coalition has learnt.

May import `errors` and the plain data of `protocol`. Must never know trio, keys or roles. Every
theorem is a function whose docstring names its paper, its units and its corrections.
"""
