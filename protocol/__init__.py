"""Pure steps on plain data: what a party does with what it has received, and what it then sends.

What a coalition has seen is decided in view.py, by the rule of derivation.py; every limit on how
few people may be counted is in crowd_limits.py; answers are salted and sealed in ballots.py.

May import `errors` and `crypto`; numpy only where the ideal functionality counts a million people.
Must never know trio, sockets or files: time, transport and storage belong to its callers.
"""
