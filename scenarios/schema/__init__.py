"""The grammar of a scenario file: its model, keys, lines, problems, and its written form.

May import `errors` only. Must never know people: whether a file makes sense for its population is
judged in `validation`.
"""
