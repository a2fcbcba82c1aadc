"""Attacks on a session: entries, faults that carry them out, guards, and a catalogue.

An attack is an action of a party against the protocol; a fault is the code that replaces the honest
party; a guard is a countermeasure. Each attack measures its own effect.

May import `programs`, `populations`, `schema` and the parties of `roles`. Must never know how a
session is scored.
"""
