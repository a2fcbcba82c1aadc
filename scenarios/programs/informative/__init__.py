"""The program `informative`: the columns that tell most of people, within the promise.

May import what `programs` may, and the rules of `two_round`. Must never know other programs.
"""
