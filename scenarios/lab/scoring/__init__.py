"""The scores of a run: leakage to coalitions, re-identification, and the policy's exposure.

May import `ledger`, `programs` and below. Must never know files: `records` writes outcomes.
"""
