"""The program `randomized`: one round of locally randomized reports, tallied and estimated.

May import what `programs` may. Must never know other programs.
"""
