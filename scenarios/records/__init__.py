"""Run folders: the result file, traffic, and all other files of a run.

May import `scoring`, `schema` and `serialization`. Must never know how a run was played; it writes
and reads data that callers give it.
"""
