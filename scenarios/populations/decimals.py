"""Decimal commas, as in most of Europe, converted to decimal points.

A column is converted if every filled cell is such a number and a cell proves the comma to be
decimal: it has more or fewer than three digits behind its comma. `1,234` may be a thousand and more
or below two. If all cells are like that, a warning asks the user for the decimal sign.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...protocol.wire.coarsening import NUMBER
from .people import Codes, SourceTable
from .values import UNKNOWN

# matches a number with a decimal comma, such as 1.234.567,89
COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
# matches 1,234: its comma is a decimal comma, or separates thousands
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


def pointed(path: Path, table: SourceTable, decimal_sign: str | None, missing: str) -> SourceTable:
    """Return the table with decimal points instead of decimal commas.

    decimal_sign: the sign that the user gives; None: detect it. missing: the value of an empty
    cell. Raises DataError if the numbers contradict the user's sign.
    """
    codes, values, commas, doubtful = table.codes, list(table.values), [], []
    if decimal_sign == ".":
        return replace(table, warnings=(*table.warnings, *_unread(table, missing)))
    for j, texts in enumerate(table.values):
        kind = _kind([text for text in texts if _is_value(text, missing)], sure=decimal_sign == ",")
        if kind == "doubtful":
            doubtful.append(table.columns[j])
        if kind != "comma":
            continue
        commas.append(table.columns[j])
        if codes is table.codes:
            codes = codes.copy()
        codes[:, j], values[j] = renamed(codes[:, j], [_point(t, missing) for t in texts])
    if decimal_sign == "," and not commas:
        _refuse_points(path, table)
    notes = list(table.warnings)
    if doubtful:
        notes.append(
            f"{', '.join(doubtful)}: numbers such as 1,234 are read as text; if the comma parts "
            'decimals, say --decimal , (in a scenario: decimal = ",")'
        )
    note = table.note
    if commas:
        note = f"{note.removesuffix(')')}, decimal comma in {', '.join(commas)})"
    return replace(table, codes=codes, values=tuple(values), note=note, warnings=tuple(notes))


def renamed(codes: Codes, texts: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Return the codes and texts of a column after its texts have changed; equal texts are merged.

    codes: the code of each row. texts: the new text of each code.
    """
    order = tuple(sorted(set(texts)))
    place = {text: code for code, text in enumerate(order)}
    return np.array([place[text] for text in texts], np.int32)[codes], order


def _kind(texts: Sequence[str], *, sure: bool) -> str | None:
    """Return "comma" for decimal commas, "doubtful" if the commas may be decimal, None otherwise.

    sure: whether the user gave the comma as the decimal sign, so that no column is doubtful.
    """
    signs = "".join(texts)
    if "," not in signs and not (sure and "." in signs):
        return None
    if not all(map(COMMA.fullmatch, texts)):
        return None
    if sure:
        return "comma"
    if all(GROUPED.fullmatch(text) for text in texts if "," in text):
        return "doubtful"
    return "comma"


def _unread(table: SourceTable, missing: str) -> Iterator[str]:
    """Yield a warning for each column with decimal commas, if the user gave the decimal point.

    Such numbers are then read as text. missing: the value of an empty cell.
    """
    for name, texts in zip(table.columns, table.values, strict=True):
        known_texts = [text for text in texts if _is_value(text, missing)]
        if _kind(known_texts, sure=False) == "comma":
            example = next(text for text in known_texts if "," in text)
            yield (
                f"column {name!r}: {example!r} and similar numbers are read as text, because you "
                "gave the decimal point; without that option they are numbers"
            )


def _refuse_points(path: Path, table: SourceTable) -> None:
    """Raise DataError if numbers have decimal points although the user gave the decimal comma."""
    for name, texts in zip(table.columns, table.values, strict=True):
        points = [text for text in texts if "." in text and NUMBER.fullmatch(text)]
        if points:
            raise DataError(
                f"{path}: column {name!r}: {points[0]!r} and similar numbers have a decimal "
                "point, and no column has the decimal comma that you gave; leave decimal out"
            )


def _is_value(text: str, missing: str) -> bool:
    """Whether a text is a value, and does not stand for a missing value.

    missing: the value of an empty cell.
    """
    return text != missing and text.casefold() not in UNKNOWN


def _point(text: str, missing: str) -> str:
    """Return a number with a decimal comma as a number with a decimal point.

    Texts that stand for a missing value stay unchanged.
    """
    return text if not _is_value(text, missing) else text.replace(".", "").replace(",", ".")
