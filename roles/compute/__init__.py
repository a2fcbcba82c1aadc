"""The execution of parties' heavy work: threads, process copies, clusters, clocks, memory.

Here live executors and their backends, the event loop of a seeded session and its clock. May import
`protocol` and `network`. Must never know a party or an analysis: a job is a function and its input.
"""
