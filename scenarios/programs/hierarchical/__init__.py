"""The program `hierarchical`: singles, then safe pairs, triples ..., until nothing is safe (8.2).

May import what `programs` may. Must never know other programs.
"""
