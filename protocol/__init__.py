"""Pure steps on plain data: what a party does with what it has received, and what it then sends.

May import `errors` and `crypto`; numpy only where the ideal functionality counts a million people.
Must never know trio, sockets or files: time, transport and storage belong to its callers.
"""
