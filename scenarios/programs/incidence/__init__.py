"""The program `incidence`: flipped sets through the mix; (t, n)-incidence (paper 004).

May import what `programs` may. Must never know other programs.
"""
