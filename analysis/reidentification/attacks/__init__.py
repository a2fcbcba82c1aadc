"""Attackers by traces, scores and side information, and their success rates (paper 003).

May import the same rooms as `reidentification`. Must never know the protocol's parties: an attacker
here has samples, and no keys.
"""
