"""Release programs: the queries of a session, the rule for its release, and its scores.

The kinds of program are listed in schema/kinds.py; registry.py finds them. May import
`populations`, `schema`, the strategies of `protocol` and the numbers of `analysis`. Must never know
how a session is played, recorded or shown.
"""
