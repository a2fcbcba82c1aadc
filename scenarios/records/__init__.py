"""Run folders: the result file, traffic figures, and all other files of a run, written and read.

May import `scoring`, `schema` and `serialization`. Must never know how a run was played; it writes
and reads data that callers give it.
"""
