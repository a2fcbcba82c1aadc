"""The figure of an attack matrix: a row for each attack, a column for each defence.

A sign in each cell says whether the attack works against the defence. The figure is drawn in SVG
for a page, from the same table that `analysis/figures/attack_matrix.py` draws for print. Colour is
never the only sign, and the tooltip of a cell says the outcome in words.
"""

from html import escape

from ..analysis.figures.attack_matrix import MEANING, HeatTable, Sign
from ..presentation.blocks import PageFigure
from ..presentation.svg import Drawing, shorten
from ..presentation.text_blocks import PageNumbers

CELL = 25  # width and height of a cell, in units of the picture
NAMES = 112
HEAD = 86  # height above the cells for the slanted headings
KEY = 21  # height of a line of the legend
EXTRA = {
    "!": "somebody raised an alarm, in some run",
    "x": "nothing was released",
    "frame": "the defence is said to help",
    "pale": "on in the column none already, not played again",
}


def figure(table: HeatTable, numbers: PageNumbers) -> PageFigure:
    """Draw the attack matrix with a legend of its signs.

    numbers: the same outcomes as a CSV table.
    """
    wide, high = len(table.headings), len(table.rows)
    width = max(NAMES + CELL * wide + 40, 720)
    drawing = Drawing(
        "matrix", table.title, _about(table), width, HEAD + CELL * high + 24 + len(MEANING) * KEY
    )
    for x, heading in enumerate(table.headings):
        drawing.slanted(NAMES + CELL * (x + 0.55), HEAD - 6, shorten(heading, 14))
    for y, (name, signs) in enumerate(table.rows):
        top = HEAD + CELL * y
        drawing.text(NAMES - 8, top + 17, shorten(name, 15), anchor="end")
        for x, (heading, sign) in enumerate(zip(table.headings, signs, strict=True)):
            _cell(drawing, NAMES + CELL * x, top, sign, f"{name}, {heading}: {_sign_text(sign)}")
    _key(drawing, HEAD + CELL * high + 24)
    caption = f"{table.title}. none: without the framed defences; all: with every defence."
    return PageFigure(drawing.svg(), caption, numbers)


def _about(table: HeatTable) -> str:
    """Return, for each outcome of an attack, the number of cells with it, in words.

    The text describes the figure to a reader that cannot see its colours.
    """
    cells = [sign for _, signs in table.rows for sign in signs]
    counts = {name: sum(cell.verdict == name for cell in cells) for name in MEANING}
    return "; ".join(f"{count} cells: {MEANING[name]}" for name, count in counts.items() if count)


def _sign_text(sign: Sign) -> str:
    """Return the meaning of a cell's sign in words, for its tooltip."""
    phrases = [MEANING[sign.verdict]]
    if sign.detected:
        phrases.append(f"an alarm in {sign.detected:.0%} of the runs")
    if sign.withheld:
        phrases.append(EXTRA["x"])
    return ", ".join(phrases)


def _cell(drawing: Drawing, x: float, y: float, sign: Sign, words: str) -> None:
    """Draw the cell of an attack and a defence at (x, y).

    Colour and mark show whether the attack worked. A `!` shows that an alarm was raised, and a
    cross that no run released data. words: the tooltip.
    """
    pale = " pale" if sign.is_baseline else ""
    drawing.parts.append(f'<g class="heat{pale}"><title>{escape(words)}</title>')
    drawing.box(x + 0.5, y + 0.5, CELL - 1, CELL - 1, f"heat-{sign.verdict}")
    if sign.named:
        drawing.box(x + 1.5, y + 1.5, CELL - 3, CELL - 3, "framed")
    extra = not sign.is_baseline and (bool(sign.detected) or sign.withheld)
    _mark(drawing, x + (8.5 if extra else CELL / 2), y + CELL / 2, sign.verdict)
    if extra and sign.detected:
        drawing.text(x + 18, y + (12 if sign.withheld else 17), "!", "label", "middle")
    if extra and sign.withheld:
        drawing.mark((x + 18, y + (18 if sign.detected else CELL / 2)), "cross", "heat-cross", 3)
    drawing.parts.append("</g>")


def _mark(drawing: Drawing, x: float, y: float, verdict: str) -> None:
    """Draw the mark of an attack's outcome around (x, y), so that colour is not the only sign.

    verdict: the outcome, such as `works` or `stopped`.
    """
    if verdict == "unplayed":
        drawing.line((x - 4, y), (x + 4, y), "link")
    elif verdict == "idle":
        drawing.mark((x, y), "square", "heat-open", 2.5)
    elif verdict == "unmet":
        drawing.line((x - 3, y - 3), (x + 3, y + 3), "link")
        drawing.line((x - 3, y + 3), (x + 3, y - 3), "link")
    else:
        drawing.mark((x, y), "circle", "heat-open", 4.5)
    if verdict in ("works", "reduced"):
        drawing.mark((x, y), "circle", "truth", 4.5 if verdict == "works" else 2)


def _key(drawing: Drawing, top: float) -> None:
    """Draw the legend below the matrix: each sign with its meaning, in two columns.

    top: the vertical position of its first line.
    """
    for row, (verdict, meaning) in enumerate(MEANING.items()):
        y = top + KEY * row
        drawing.box(8, y - 12, 17, 17, f"heat-{verdict}")
        _mark(drawing, 16.5, y - 3.5, verdict)
        drawing.text(33, y, meaning)
    for row, (sign, meaning) in enumerate(EXTRA.items()):
        x, y = drawing.width / 2 - 30, top + KEY * row
        if sign == "!":
            drawing.text(x + 8.5, y + 1, "!", "label", "middle")
        elif sign == "x":
            drawing.mark((x + 8.5, y - 3.5), "cross", "heat-cross", 3)
        elif sign == "frame":
            drawing.box(x, y - 12, 17, 17, "framed")
        else:
            drawing.parts.append('<g class="pale">')
            drawing.box(x, y - 12, 17, 17, "heat-stopped")
            _mark(drawing, x + 8.5, y - 3.5, "stopped")
            drawing.parts.append("</g>")
        drawing.text(x + 25, y, meaning)
