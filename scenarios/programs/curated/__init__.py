"""The release program `two-round`: count single columns, choose columns, release their table.

May import the same packages as `programs`. Must never know other programs.
"""
