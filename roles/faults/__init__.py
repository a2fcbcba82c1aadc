"""Parties that do not follow the rules, as attacks of the catalogue want them, by whom they bend.

May import what `roles` may. Must never know whether an attack is any good: effects are measured by
`scenarios` from what attackers saw.
"""
