"""Checks and scores of sessions among peers, whatever program they follow.

May import what `programs` may. Must never know central parties: a peer is all of them.
"""
