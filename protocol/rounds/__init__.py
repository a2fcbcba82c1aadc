"""The steps of a round: ballots, mixing, audits, tokens, shares, thresholds and tallies.

Here live the context of a round and the pure steps of each party on it. May import `wire`. Must
never know the board or another round: a caller hands in the messages of this one.
"""
