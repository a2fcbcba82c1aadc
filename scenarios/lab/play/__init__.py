"""The play of a scenario: population, announcement, parties, rounds, and the outcome at the end.

May import `validation`, `scoring`, `ledger`, `attacks` and below. Must never know folders or
terminals: progress goes to instruments, the outcome is returned.
"""
