"""CSV that is safe to open in a spreadsheet: no cell is interpreted as a formula.

A text gets an apostrophe in front if it begins with `= + - @`, a tab or a carriage return, and is
no number. Spreadsheets read the apostrophe as a mark of text. Otherwise a user could answer
`=HYPERLINK(...)`, and a spreadsheet that opens the release would execute it.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?%?")


def safe(cell: object) -> object:
    """Return a cell, with an apostrophe in front if a spreadsheet would execute it."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA) or NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV text, each cell made safe for spreadsheets."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([map(safe, row) for row in rows])
    return out.getvalue()
