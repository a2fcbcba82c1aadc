"""The release program `threshold`: rows or prefixes of fewer than k people stay encrypted.

A prefix is the first values of a row. May import the same packages as `programs`. Must never know
other programs.
"""
