"""The parties as machines: processes that share only bytes over TLS.

May import `errors`, `crypto`, `protocol` and `roles`, and runs their parties unchanged. Must never
know scenarios or terminals: it gets the list of a session's parties, or the parameters of one
party, and returns the board.
"""
