"""The study of cheating: the success of each malicious coalition in a run, and the table of trust.

May import `lab` and `records`. Must never know how its tables are shown.
"""
