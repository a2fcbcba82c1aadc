"""The study of malicious coalitions: the success of each in a run, and the table of trust.

The table of trust lists, for sets of countermeasures, the coalitions with a successful attack. May
import `lab` and `records`. Must never know how its tables are shown.
"""
