"""The release program `randomized`: one round of locally randomized reports, tallied and estimated.

May import the same packages as `programs`. Must never know other programs.
"""
