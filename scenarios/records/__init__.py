"""Run folders: the result file, traffic, and everything else that a run leaves behind.

May import `scoring`, `schema` and `serialization`. Must never know how a run was played; it writes
and reads what it is handed.
"""
