"""The output of commands as plain text: tables, reports of a run, progress and warnings.

May import results of `scenarios` and `analysis` and the rich library. Must never run a scenario: it
is handed results.
"""
