"""The play of a scenario: population, announcement, parties, rounds and outcome.

May import `validation`, `scoring`, `ledger`, `attacks` and the packages below them. Must never know
folders or terminals: instruments receive the progress, and the caller receives the outcome.
"""
