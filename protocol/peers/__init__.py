"""Peers: a person is user, shuffler, curator and analyst at once (paper 000, section 8.3).

Here live agreement, the board, onions, accounting and views of a session among peers. All steps are
pure functions on data. May import `errors`, `crypto` and the other packages of `protocol`. Must not
import trio, sockets or files.
"""
