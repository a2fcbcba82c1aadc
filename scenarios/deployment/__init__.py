"""Sessions between machines: their file, the actions of each machine, and checks of saved posts.

May import the scenario model, programs, how they are announced, identity files and verification.
Must never know terminals: a log receives the events.
"""
