"""The memory of a first shuffler: participants, releases, and whether a batch may follow.

Here live this memory, and the check for small groups of people that arithmetic on several counts
isolates. May import `wire`. Must not know the file that stores the memory, or a person's values.
"""
