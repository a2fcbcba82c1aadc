"""The laboratory: it validates a scenario, plays a session, scores the outcome and keeps ledgers.

A ledger remembers past sessions. May import `attacks`, `programs` and below. Must never know run
folders, terminals or pages: it returns an outcome.
"""
