"""Attacks: entries, the faults that carry them out, guards against them, and the catalogue of all.

An attack, its fault, its measure and its guard live here together. May import `programs`,
`populations`, `schema` and the parties of `roles`. Must never know how a session is scored: an
attack measures its own effect.
"""
