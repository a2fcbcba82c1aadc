"""Verification: is a run what it claims to be? Replay, recompute, and say what cannot be known.

May import `play`, `records` and below. Must never trust a stored number that it can compute.
"""
