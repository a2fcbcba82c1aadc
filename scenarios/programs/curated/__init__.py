"""The program `two-round`: single columns are counted, columns are chosen, their table is released.

May import the same packages as `programs`. Must never know other programs.
"""
