"""Output of commands: tables, stories, progress and warnings, as plain text.

May import results of `scenarios` and `analysis` and the rich library. Must never run a
scenario: it is handed results.
"""
