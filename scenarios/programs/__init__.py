"""Release programs: the queries of a session, the rule for its release, and its scores.

A program is found by its kind of policy: schema/kinds.py lists the kinds, registry.py loads the
program. May import `populations`, `schema`, the strategies of `protocol` and the numbers of
`analysis`. Must never know how a session is played, recorded or shown.
"""
