"""Verification of a saved run: replay, recomputation, and the limits of both.

May import `play`, `records` and the packages below them. Must never trust a stored number that it
can compute.
"""
