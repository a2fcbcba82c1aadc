"""The work of parties on processors: forks, helper processes, clusters, clocks and garbage.

Here live executors and their backends, the event loop of a seeded session and its clock. May import
`protocol` and `network`. Must never know an actor or a study: a job is a function and its input.
"""
