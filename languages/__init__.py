"""The languages: all sentences that people read on phones, walls and the theatre, one file each.

Here live the files of sentences and the functions that choose a form and fill in values. May import
only the strict reader of TOML. Must never know what a page shows, nor when.
"""
