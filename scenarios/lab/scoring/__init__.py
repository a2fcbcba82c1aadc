"""The scores of a run: leakage to coalitions, re-identification, and the exposure of people.

May import `ledger`, `programs` and the packages below them. Must never know files: the package
`records` writes outcomes to files.
"""
