"""The program `threshold`: rows, or prefixes of rows, that fewer than k people share stay closed.

May import the same rooms as `programs`. Must never know other programs.
"""
