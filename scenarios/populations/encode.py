"""Encoding of rows of text as integer codes while they are read, without keeping the text.

Each column numbers its texts as they come; spaces, missing answers and order are settled once for
each distinct text at the end.
"""

import operator
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, count, islice

import numpy as np
import numpy.typing as npt

from ...protocol.wire.schema import MAX_WIDTH
from .people import Codes
from .values import composed

CHUNK = 256  # rows encoded together: few enough that their texts stay in the processor's cache
MERGE_LIMIT = 1 << 10  # pieces after which the numbers are packed
UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # Unicode categories that `protocol.schema` refuses in values
DROP_ROW = "drop-row"
_Codes = npt.NDArray[np.integer]


class _Numbering(dict[str, int]):
    """A mapping from texts to numbers, in the order in which they are first looked up."""

    def __missing__(self, text: str) -> int:
        """Return the next number for a new text, and remember it."""
        self[text] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The columns of a table as integer codes.

    Attributes:
        codes: n x d, indices into `values`.
        values: the texts of each column.
        dropped: number of rows left out.
        odd: the changes, in words.
        rows: the numbers (from 0) of the rows that are left; None: all of them.
    """

    codes: Codes
    values: tuple[tuple[str, ...], ...]
    dropped: int
    odd: tuple[str, ...]
    rows: Codes | None = None


class Unusable(Exception):
    """A text that cannot be a value: column and row (both from 0), and the reason.

    Internal: the caller, which knows the file, raises DataError in its place.
    """

    def __init__(self, column: int, row: int, why: str) -> None:
        """Keep the place of the text, and the reason why it cannot be a value."""
        super().__init__(why)
        self.column, self.row, self.why = column, row, why


def encode(
    rows: Iterable[Sequence[str]],
    names: Sequence[str],
    missing: str,
    lacking: Collection[str] = (),
    progress: Callable[[int], None] = lambda _rows: None,
) -> Encoded:
    """Return rows of these columns as codes.

    missing: the value of an empty cell, or `drop-row`. lacking: texts that mean the same as an
    empty cell. progress: receives the number of rows so far, at intervals. Raises Unusable for a
    text that no ballot could hold.
    """
    columns = [_TextColumn() for _ in names]
    rows = iter(rows)
    for blocks in count(1):
        if not (block := list(islice(rows, CHUNK))):
            break
        for column, texts in zip(columns, zip(*block, strict=True), strict=True):
            column.add(texts)
        if blocks % MERGE_LIMIT == 0:
            progress(blocks * CHUNK)
    return _settle(columns, names, composed(missing), {"", *map(composed, lacking)})


class _TextColumn:
    """The texts of a column while they are read: a number for each distinct text, and for each row.

    From time to time the numbers so far are packed into the smallest integer type, so that a column
    of few values takes a byte a row.
    """

    def __init__(self) -> None:
        """Begin with a column without rows."""
        self.numbering = _Numbering()
        self.parts, self.fresh = list[_Codes](), list[_Codes]()

    def add(self, texts: Sequence[str]) -> None:
        """Append the texts of some rows."""
        numbers = map(self.numbering.__getitem__, texts)
        self.fresh.append(np.fromiter(numbers, np.int32, len(texts)))
        if len(self.fresh) == MERGE_LIMIT:
            self._pack()

    def _pack(self) -> None:
        """Move the new numbers into an array of the smallest integer type."""
        if self.fresh:
            kind = np.min_scalar_type(len(self.numbering))
            self.parts.append(np.concatenate(self.fresh).astype(kind))
            self.fresh.clear()

    def settle(self) -> list[_Codes]:
        """Return the numbers of all rows, as arrays to be joined."""
        self._pack()
        return self.parts

    def counted(self) -> _Codes:
        """Return the number of rows with each text."""
        size = len(self.numbering)
        counts = (np.bincount(part, minlength=size) for part in self.settle())
        return sum(counts, start=np.zeros(size, np.int64))

    def first(self, number: int) -> int:
        """Return the first row (from 0) with a text, by the text's number."""
        rows_before = 0
        for part in self.settle():
            rows = np.flatnonzero(part == number)
            if rows.size:
                return rows_before + int(rows[0])
            rows_before += len(part)
        raise AssertionError(
            f"no row has number {number}"
        )  # pragma: no cover - each number has a row


def _settle(
    columns: Sequence[_TextColumn], names: Sequence[str], missing: str, lacking: Collection[str]
) -> Encoded:
    """Return the finished columns: texts composed and stripped, missing cells replaced.

    Rows with missing cells are dropped if `missing` says so.
    """
    odd = list[str]()
    values = list[tuple[str, ...]]()
    n = sum(map(len, columns[0].settle()))
    table = np.empty((n, len(columns)), np.int32, order="F")
    whole = np.ones(n, dtype=bool)
    for j, column in enumerate(columns):
        texts = tuple(column.numbering)
        composed_texts = tuple(map(composed, texts))
        if composed_texts != texts:
            odd.append(_composed_note(names[j], column, texts, composed_texts))
            texts = composed_texts
        stripped = tuple(map(str.strip, texts))
        _refuse(j, column, stripped)
        if stripped != texts:
            spaced = np.fromiter(map(operator.ne, texts, stripped), bool, len(texts))
            cells = int(column.counted()[spaced].sum())
            odd.append(f"column {names[j]!r}: spaces around {cells:,} cells removed")
        clean = [missing if text in lacking else text for text in stripped]
        order = tuple(sorted(set(clean)))
        place = dict(zip(order, range(len(order)), strict=True))
        code = np.fromiter(map(place.__getitem__, clean), np.int32, len(clean))
        full = np.array([text not in lacking for text in stripped], dtype=bool)
        start = 0
        for part in column.settle():
            rows = slice(start, start := start + len(part))
            table[rows, j] = code[part]
            if missing == DROP_ROW:
                whole[rows] &= full[part]
        column.parts.clear()  # frees memory: these rows are in the table now
        values.append(order)
    if whole.all():
        return Encoded(table, tuple(values), 0, tuple(odd))
    return _drop(table, values, np.flatnonzero(whole).astype(np.int32), odd)


def _composed_note(
    name: str, column: _TextColumn, texts: Sequence[str], composed_texts: Sequence[str]
) -> str:
    """Return a note on cells with letters and accents composed into one sign."""
    changed = np.fromiter(map(operator.ne, texts, composed_texts), bool, len(texts))
    cells = int(column.counted()[changed].sum())
    return f"column {name!r}: letters and accents of {cells:,} cells composed into one sign (NFC)"


def _drop(table: Codes, values: list[tuple[str, ...]], rows: Codes, odd: list[str]) -> Encoded:
    """Return only these rows, and the values that occur in them, with a note on dropped rows."""
    rows_before, table = len(table), np.asfortranarray(table[rows])
    dropped = rows_before - len(table)
    odd.append(f"{dropped:,} of {rows_before:,} rows dropped: a cell of a column in use was empty")
    kept_texts = []
    for j, texts in enumerate(values):
        is_used = np.bincount(table[:, j], minlength=len(texts)) > 0
        table[:, j] = (np.cumsum(is_used, dtype=np.int32) - 1)[table[:, j]]
        kept_texts.append(tuple(compress(texts, is_used.tolist())))
    return Encoded(table, tuple(kept_texts), dropped, tuple(odd), rows)


def _refuse(place: int, column: _TextColumn, texts: tuple[str, ...]) -> None:
    """Raise Unusable for a text that is too long, or holds a control character."""
    if 4 * max(map(len, texts), default=0) <= MAX_WIDTH and "".join(texts).isprintable():
        return  # the usual case: no text needs a closer look
    for code, text in enumerate(texts):
        size = len(text.encode())
        if size > MAX_WIDTH:
            reason = f"a value of {size:,} bytes of UTF-8; at most {MAX_WIDTH:,} are accepted"
        elif not text.isprintable() and any(unicodedata.category(c) in UNSEEN for c in text):
            reason = (
                f"{text[:40]!r} holds a line break or another control character; choose columns "
                "without this one, or take that out of the cell"
            )
        else:
            continue
        raise Unusable(place, column.first(code), reason)
