"""The expected costs of a scenario: messages, bytes, layers and time, by party and in all.

May import `programs` and `lab`. Must never play a whole session to estimate its cost.
"""
