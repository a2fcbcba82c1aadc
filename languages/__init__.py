"""The languages: the sentences of phones, walls, theatre and lessons, a file for each language.

Here live the files of sentences and the functions that choose a form and fill in values. May import
only the strict reader of TOML. Must never know which page shows a sentence, nor when.
"""
