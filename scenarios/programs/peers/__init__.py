"""Checks and scores of sessions among peers, for any program.

May import the same rooms as `programs`. Must never know central parties: a peer has all their
roles.
"""
