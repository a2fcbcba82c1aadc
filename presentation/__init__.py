"""The building blocks of output as plain data: sections, tables, figures, alerts; pictures as SVG.

A terminal prints the blocks, and report/ writes them as HTML. Modules beside the sub-rooms know
neither the subject of a page nor HTML; presenters/ and sections/ make blocks from results.
"""
