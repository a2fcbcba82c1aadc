"""The sections, alerts and answers of pages, as blocks: each function takes the facts of a result.

The room report/ puts them under the title of a page and writes the page as a file.
"""
