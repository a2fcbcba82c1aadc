"""The program `informative`: the columns with the most information, within the promise.

May import the same rooms as `programs`, and the rules of `two_round`. Must never know other
programs.
"""
