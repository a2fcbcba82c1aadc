"""Attackers by traces, scores and side information, and how often they are right (paper 003).

May import what `reidentification` may. Must never know the protocol's parties: an attacker here has
samples, and no keys.
"""
