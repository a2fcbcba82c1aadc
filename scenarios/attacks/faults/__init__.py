"""Misbehaviour of parties, for the attacks of the catalogue, by party.

May import the rooms that `roles` may. Must never know whether an attack is any good: `scenarios`
measures its effects from the views of attackers.
"""
