"""Peers: everybody is user, shuffler, curator and analyst (paper 000, section 8.3), as pure steps.

Here live agreement, the board, onions, accounting and views of a session among peers. May import
what `protocol` may, and its messages and frames. Must never know trio, sockets or files.
"""
