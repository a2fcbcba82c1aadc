"""The program `two-round`: single columns are counted, columns are chosen, their table is released.

May import what `programs` may. Must never know other programs.
"""
