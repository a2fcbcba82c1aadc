"""The parties as trio actors, the network between them, and the instruments that observe it.

May import `errors`, `crypto` and `protocol`. Must never know analysis or files: the curator is
handed its decision rule, and a session hands its observations to the caller.
"""
