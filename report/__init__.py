"""The report: a page of HTML about a saved run, sweep, comparison, attack matrix or score.

A page is a single file without scripts or requests; its content security policy holds the hash of
its style sheet. This package holds templates, styles and figures, and combines sections of
presentation/ to pages. It may import the packages of lower layers (such as scenarios/), but not
cli/. It computes no results.
"""
