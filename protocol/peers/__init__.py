"""Peers: a person is user, shuffler, curator and analyst (paper 000, section 8.3), in pure steps.

Here live agreement, the board, onions, accounting and views of a session among peers. May import
the rooms that `protocol` may, and its messages and frames. Must never know trio, sockets or files.
"""
