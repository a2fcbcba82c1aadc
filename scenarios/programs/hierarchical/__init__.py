"""The release program `hierarchical`: it counts single columns, then safe pairs, triples, ...

It stops when no further group of columns is safe to query (paper 000, section 8.2). May import the
same packages as `programs`. Must never know other programs.
"""
