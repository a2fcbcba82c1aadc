"""What a scenario file may say: its model, keys, lines, problems, and how it is written out.

May import `errors` only. Must never know people: whether a file makes sense for its population is
judged in `validation`.
"""
