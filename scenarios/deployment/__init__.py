"""Sessions between machines: the session file, the work of each machine, and checks of saved posts.

May import the scenario model, the release programs, their announcements, identity files and
verification. Must never know terminals: a log receives the events.
"""
