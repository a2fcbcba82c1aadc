"""The program `informative`: it releases the columns of largest total entropy within max_exposure.

May import the same packages as `programs`, and the rules of `two_round`. Must never know other
programs.
"""
