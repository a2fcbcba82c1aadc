"""Validation: loading a scenario, finding its people, and checking its meaning for them.

May import `programs`, `populations` and `schema`. Must never play a session: it validates.
"""
