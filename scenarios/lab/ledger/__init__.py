"""The ledger of a population: participants, releases, and the releases that may not follow.

Whether a batch may follow is judged by protocol/history/shuffler_history.py (people and columns)
and by spending.py (noise). May import `programs` and `populations`. Must never know how a session
is played: it is asked before and told after.
"""
