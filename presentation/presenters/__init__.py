"""Presenters: texts, tables and figures on a release program, a topology, a study or a table.

A presenter turns results into blocks, which a terminal, a page and the theatre (the animated stage
of a run) show. Each kind of release program has a presenter. A program without its own has the
presenter of its nearest parent class. Modules here import the blocks of presentation/, the
languages, and packages that compute results; they know no terminal, HTML or browser.
"""
