"""Presenters: the sentences, tables and sections of each program and each topology.

Here live a presenter per kind of program, found by the nearest class of a program, and the page
section of peers. May import the blocks of presentation, the programs and languages. Must never know
a terminal, HTML or a browser.
"""
