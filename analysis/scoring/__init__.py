"""Scores of a table and of a release: exposure, bounds, risk and use on one sheet.

May import `exposure`, `composition`, `suppression`, `trust` and the ground files. Must never know
where the table came from or where the score is printed.
"""
