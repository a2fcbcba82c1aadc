"""The program `hierarchical`: singles, then safe pairs, triples ..., until no group is safe (8.2).

May import the same rooms as `programs`. Must never know other programs.
"""
