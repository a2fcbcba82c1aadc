"""The program `incidence`: flipped sets through the mix; (t, n)-incidence (paper 004).

May import the same rooms as `programs`. Must never know other programs.
"""
