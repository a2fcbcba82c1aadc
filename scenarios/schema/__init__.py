"""The grammar of a scenario file: its tables and keys, the finder of mistakes, and the writer.

May import `errors` only. Must never know people: the package `validation` judges whether a file
fits its population.
"""
