"""Messages as bytes: schema, announcement, calls, decisions, posts and the codec that reads them.

The package holds the messages of each party, the strict reader and writer, the rules that hide
values, and the announcement with its limits. It turns bytes into records and records into bytes. It
may import `crypto` and `errors`, but no rounds, boards or states of parties.
"""
