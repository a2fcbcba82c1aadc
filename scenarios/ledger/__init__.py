"""The ledger of a population: who took part, what was released, and what may not follow it.

May import `programs` and `populations`. Must never know how a session is played: it is asked before
and told after.
"""
