"""The misbehaviour of parties in attacks: code that replaces or wraps an honest party.

May import the rooms that `roles` may. Must never know whether an attack is any good: `scenarios`
measures its effects from the views of attackers.
"""
