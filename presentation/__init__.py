"""The building blocks of a page about a run, as plain data, and its pictures as SVG.

Here live sections, tables, figures, alerts and answers, and the drawing of scales, lines and marks.
May import serialization, for the CSV of figures. Must never know the subject of a page, nor the
HTML that it becomes.
"""
