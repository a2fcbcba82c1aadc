"""The ledger of a population: a file of past sessions, from which unsafe releases are refused.

Whether a batch may follow is judged by protocol/history/shuffler_history.py (people and columns)
and by spending.py (noise). May import `programs` and `populations`. Must never know how a session
is played: it is asked before a session, and records the end of the session.
"""
