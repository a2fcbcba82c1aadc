"""Messages as bytes: schema, announcement, calls, decisions, posts and the codec that reads them.

Here live the messages of each party, the strict reader and writer, the rules that hide values, and
the announcement with its limits. May import `crypto` and `errors`. Must never know a round, a board
or a party's state: bytes become records here, and records become bytes.
"""
