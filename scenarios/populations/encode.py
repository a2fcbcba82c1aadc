"""Turning rows of text into codes while they stream by, without keeping the text.

Each column numbers its texts as they come; spaces, missing answers and order are settled once for
each distinct text at the end.
"""

import operator
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...protocol.schema import MAX_WIDTH
from .people import Codes

CHUNK = 256  # rows turned at once: few enough that their texts stay in the processor's cache
UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # categories that `protocol.schema` admits in no value
DROP_ROW = "drop-row"


class _Numbering(dict[str, int]):
    """Numbers texts in the order in which they are first met."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Columns in codes.

    Attributes:
        codes: n x d, indices into `values`.
        values: the texts of each column.
        dropped: how many rows were left out.
        odd: what was changed, in words.
        rows: the numbers (from 0) of the rows that are left; None: all of them.
    """

    codes: Codes
    values: tuple[tuple[str, ...], ...]
    dropped: int
    odd: tuple[str, ...]
    rows: Codes | None = None


class Unusable(Exception):
    """A text that cannot be a value: which column, which row (both from 0), and why.

    Never seen outside: who knows the file makes a DataError of it.
    """

    def __init__(self, column: int, row: int, why: str) -> None:
        super().__init__(why)
        self.column, self.row, self.why = column, row, why


def encode(
    rows: Iterable[Sequence[str]],
    names: Sequence[str],
    missing: str,
    lacking: Collection[str] = (),
) -> Encoded:
    """Encode rows of these columns. missing: what an empty cell is called, or `drop-row`.

    lacking: texts that mean the same as an empty cell.

    Raises Unusable for a text that no ballot could hold.
    """
    numberings = [_Numbering() for _ in names]
    chunks: list[list[Codes]] = [[] for _ in names]
    rows = iter(rows)
    while block := list(islice(rows, CHUNK)):
        columns = zip(*block, strict=True)
        for numbering, chunk, column in zip(numberings, chunks, columns, strict=True):
            numbers = map(numbering.__getitem__, column)
            chunk.append(np.fromiter(numbers, np.int32, len(block)))
    raw = [np.concatenate(chunk) if chunk else np.empty(0, np.int32) for chunk in chunks]
    return _settle(raw, [tuple(n) for n in numberings], names, missing, {"", *lacking})


def _settle(
    raw: list[Codes],
    met: list[tuple[str, ...]],
    names: Sequence[str],
    missing: str,
    lacking: Collection[str],
) -> Encoded:
    odd: list[str] = []
    columns, values = [], []
    whole = np.ones(len(raw[0]), dtype=bool)
    for j, (codes, texts) in enumerate(zip(raw, met, strict=True)):
        stripped = tuple(map(str.strip, texts))
        _refuse(j, codes, stripped)
        if stripped != texts:
            spaced = np.fromiter(map(operator.ne, texts, stripped), bool, len(texts))
            odd.append(
                f"column {names[j]!r}: spaces around {int(spaced[codes].sum()):,} cells removed"
            )
        if missing == DROP_ROW:
            whole &= ~np.array([text in lacking for text in stripped], dtype=bool)[codes]
        clean = [missing if text in lacking else text for text in stripped]
        order = tuple(sorted(set(clean)))
        place = dict(zip(order, range(len(order)), strict=True))
        columns.append(np.fromiter(map(place.__getitem__, clean), np.int32, len(clean))[codes])
        values.append(order)
    table = np.stack(columns, axis=1)
    if whole.all():
        return Encoded(table, tuple(values), 0, tuple(odd))
    return _drop(table, values, np.flatnonzero(whole).astype(np.int32), odd)


def _drop(table: Codes, values: list[tuple[str, ...]], rows: Codes, odd: list[str]) -> Encoded:
    """Keep these rows, forget the values that only dropped ones had, and say how many went."""
    before, table = len(table), table[rows]
    dropped = before - len(table)
    odd.append(f"{dropped:,} of {before:,} rows dropped: a cell of a column in use was empty")
    kept = []
    for j, texts in enumerate(values):
        used, table[:, j] = np.unique(table[:, j], return_inverse=True)
        kept.append(tuple(texts[code] for code in used.tolist()))
    return Encoded(table, tuple(kept), dropped, tuple(odd), rows)


def _refuse(column: int, codes: Codes, texts: tuple[str, ...]) -> None:
    if 4 * max(map(len, texts), default=0) <= MAX_WIDTH and "".join(texts).isprintable():
        return  # as nearly always: no text is looked at by itself
    for code, text in enumerate(texts):
        size = len(text.encode())
        if size > MAX_WIDTH:
            why = f"a value of {size:,} bytes of UTF-8; at most {MAX_WIDTH:,} are accepted"
        elif not text.isprintable() and any(unicodedata.category(c) in UNSEEN for c in text):
            why = (
                f"{text[:40]!r} holds a line break or another control character; choose columns "
                "without this one, or take that out of the cell"
            )
        else:
            continue
        raise Unusable(column, int(np.argmax(codes == code)), why)
