"""The outcome of a run: what coalitions know, who is found, and how the policy did.

May import `ledger`, `programs` and below. Must never know files: `records` writes outcomes.
"""
