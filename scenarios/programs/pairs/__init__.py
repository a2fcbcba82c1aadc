"""The release program `pairs`: single columns are counted, and one cross table of two is released.

May import the same packages as `programs`, and the rules of `two_round`. Must never know other
programs.
"""
