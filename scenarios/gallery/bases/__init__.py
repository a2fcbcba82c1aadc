"""The scenarios that attack scenarios extend: the same people and rules, without an attack.

This folder has no code.
"""
