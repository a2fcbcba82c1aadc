"""Presenters: the sentences, tables and sections of each program, topology, study and subject.

Here live a presenter per kind of program, found by the nearest class of a program, and one per
subject of a run, of a study and of a table: a terminal and a page show its blocks. May import the
blocks of presentation, all below it, and languages. Must never know a terminal, HTML or a browser.
"""
