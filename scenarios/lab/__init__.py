"""The laboratory: validation, the play of a session, its scores, and the ledger of a population.

May import `attacks`, `programs` and below. Must never know run folders, terminals or pages: an
outcome is returned.
"""
