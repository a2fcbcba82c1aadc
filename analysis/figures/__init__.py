"""Figures of the five papers, checked against the papers, and figures of runs.

May import every room of `analysis`, and matplotlib only to draw a figure. Must never compute a
number that a room below can compute: figures draw.
"""
