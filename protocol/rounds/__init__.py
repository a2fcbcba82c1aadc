"""The steps of a round: ballots, mixing, audits, tokens, shares, thresholds and tallies.

Here live the context of a round (its query, sizes and keys) and the pure steps of each party on it.
May import `wire`. Must not know the board or another round: a caller passes the messages of the
present round.
"""
