"""Validation: loading a scenario, finding its people, and checking that its settings make sense.

May import `programs`, `populations` and `schema`. Must never play a session.
"""
