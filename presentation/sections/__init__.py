"""The parts of pages as blocks: sections, alerts and answers, each from the facts of a result.

The room report/ puts them under the title of a page and writes the page as a file; a terminal
prints some of them too.
"""
