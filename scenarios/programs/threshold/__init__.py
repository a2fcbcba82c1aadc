"""The program `threshold`: rows, or prefixes of rows, that fewer than k people share stay closed.

May import what `programs` may. Must never know other programs.
"""
