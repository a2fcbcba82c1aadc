"""The grammar of a scenario file: its tables and keys, the finder of mistakes, and the writer.

May import `errors` only. Must never know people: whether a file makes sense for its population is
judged in `validation`.
"""
