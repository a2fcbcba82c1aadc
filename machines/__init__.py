"""The parties as machines: processes that share only bytes over TLS.

May import `errors`, `crypto`, `protocol` and `roles`: it runs their parties as they are. Must never
know scenarios or terminals: it gets a cast, or a party's parameters, and returns the board.
"""
