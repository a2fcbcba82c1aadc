"""The misbehaviour of parties in attacks: code that replaces or wraps an honest party.

May import the subpackages that `roles` may import. Must never know whether an attack succeeds:
`scenarios` measures its effect from the views of the attackers.
"""
