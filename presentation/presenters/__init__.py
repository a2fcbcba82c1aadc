"""Presenters: the sentences, tables and figures about a program, a topology, a study or a table.

A presenter turns results into blocks, which a terminal, a page and the theatre show. Each kind of
program has a presenter, found by the nearest class of the program. Modules here may import the
blocks of presentation/, all rooms below it, and languages; they know no terminal, HTML or browser.
"""
