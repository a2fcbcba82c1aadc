"""Release programs: which questions are asked, what may be released, and how that is scored.

Which there are is said in schema/kinds.py; registry.py finds them. May import `populations`,
`schema`, the strategies of `protocol` and the numbers of `analysis`. Must never know how a session
is played, recorded or shown.
"""
