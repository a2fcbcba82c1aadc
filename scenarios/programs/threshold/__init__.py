"""The program `threshold`: rows (or their prefixes) that fewer than k people share stay encrypted.

A prefix is the first values of a row. May import the same packages as `programs`. Must never know
other programs.
"""
