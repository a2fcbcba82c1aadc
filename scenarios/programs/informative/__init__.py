"""The release program `informative`: it maximizes the released entropy within max_exposure.

May import the same packages as `programs`, and the rules of `two_round`. Must never know other
programs.
"""
