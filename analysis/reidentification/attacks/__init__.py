"""Attackers by event sequences, scores and side information, and their success (paper 003).

May import the same packages as `reidentification`. Must never know the protocol's parties: an
attacker here has data and reports, and no keys.
"""
