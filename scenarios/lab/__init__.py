"""The laboratory: validation of a scenario, the play of a session, its scores, and the ledger.

May import `attacks`, `programs` and below. Must never know run folders, terminals or pages: an
outcome is returned.
"""
