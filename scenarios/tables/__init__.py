"""A table of one's own: how it is read and made coarser, what is written of it.

May import `populations` and below, and the numbers of `analysis`. Must never know parties or
rounds: nothing is sent here.
"""
