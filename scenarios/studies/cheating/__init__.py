"""The study of cheating: the gain of each coalition that deviates in a run, and the table of trust.

May import `lab` and `records`. Must never know how its tables are shown.
"""
