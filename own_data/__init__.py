"""Tables of users: reading, coarser values, and the files that are written.

May import `populations` and below, and the numbers of `analysis`. Must never know parties or
rounds: this room sends no message.
"""
