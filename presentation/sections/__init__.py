"""The parts of pages as blocks: sections, alerts and answers, each from the facts of a result.

The package `report` puts these parts under the title of a page, and writes the page as a file. A
terminal prints some of them too.
"""
