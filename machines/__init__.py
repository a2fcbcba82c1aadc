"""The parties as machines: processes that share nothing but bytes over TLS.

May import `errors`, `crypto`, `protocol` and `roles`, whose parties it runs as they are. Must never
know scenarios or terminals: it is handed a cast, or what one party needs, and gives the board back.
"""
