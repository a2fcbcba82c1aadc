"""The building blocks of output as plain data: sections, tables, figures, alerts; pictures as SVG.

A terminal prints the blocks, and report/ writes them as HTML. The modules in this folder know
neither the subject of a page nor HTML. The modules in the folders presenters/ and sections/ make
blocks from results.
"""
