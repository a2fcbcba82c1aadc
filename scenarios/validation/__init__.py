"""Validation: loading a scenario, who takes part, and whether it makes sense for its people.

May import `programs`, `populations` and `schema`. Must never play anything: it judges.
"""
