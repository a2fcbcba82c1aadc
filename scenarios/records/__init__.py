"""Run folders: reading and writing the result file, traffic figures, and all other files of a run.

May import `scoring`, `schema` and `serialization`. Must never know how a run was played: callers
give the data to write.
"""
