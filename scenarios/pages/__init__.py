"""What a page about a run is made of, as plain data, and the pictures on it as SVG.

Here live sections, tables, figures, alerts and answers, and the drawing of scales, lines and marks.
May import serialization, for the CSV of figures. Must never know what a page is about, nor the HTML
it ends up in.
"""
