"""Checks and scores of sessions among peers, for any release program.

May import the same packages as `programs`. Must never know central parties: a peer has all their
roles.
"""
