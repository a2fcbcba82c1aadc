"""Figures: those of the five papers, with what agrees with them, and those of runs.

May import every room of `analysis`, and matplotlib only when a figure is drawn. Must never compute
a number that a room below could: figures draw.
"""
