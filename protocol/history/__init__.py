"""The memory of a first shuffler: participants, releases, and whether a batch may follow.

Here live its history, the rule on groups that releases give by arithmetic, and random
participation. May import `wire`. Must never know a ledger's file or a person's values.
"""
