"""Verification of a saved run: replay, recomputation, and the limits of both.

May import `play`, `records` and below. Must never trust a stored number that it can compute.
"""
