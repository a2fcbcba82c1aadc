"""Encoding of rows of text as integer codes while they are read, without keeping the text.

Each column numbers its different texts in the order of occurrence. At the end each different text
is handled once: spaces are removed, missing answers replaced, and texts sorted.
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
# after this many blocks of CHUNK rows, codes move to the smallest integer type, to save memory
MERGE_LIMIT = 1 << 10
UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # Unicode categories that `protocol.schema` refuses in values
DROP_ROW = "drop-row"
_Codes = npt.NDArray[np.integer]


class _Numbering(dict[str, int]):
    """A mapping that gives each text a number, from 0, in the order of the first look-up."""

    def __missing__(self, text: str) -> int:
        """Return the next number for a new text, and remember it."""
        self[text] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The columns of a table as integer codes.

    Attributes:
        codes: indices into `values`, shape (rows, columns).
        values: the texts of each column.
        dropped: number of rows left out.
        odd: notes for the user on changes to cells, such as removed spaces.
        rows: the numbers (from 0) of the remaining rows; None: all rows remain.
    """

    codes: Codes
    values: tuple[tuple[str, ...], ...]
    dropped: int
    odd: tuple[str, ...]
    rows: Codes | None = None


class Unusable(Exception):
    """The error that a text cannot be a value: its column and row (from 0), and the reason.

    The caller, which knows the file, raises DataError instead.
    """

    def __init__(self, column: int, row: int, why: str) -> None:
        """Keep the column and the row of the text (indices from 0), and the reason.

        why: the reason that the text cannot be a value.
        """
        super().__init__(why)
        self.column, self.row, self.why = column, row, why


def encode(
    rows: Iterable[Sequence[str]],
    names: Sequence[str],
    missing: str,
    lacking: Collection[str] = (),
    progress: Callable[[int], None] = lambda _rows: None,
) -> Encoded:
    """Return the rows of a table as integer codes.

    Args:
        rows: the rows, as texts of their cells.
        names: the names of the columns.
        missing: the value of an empty cell; `drop-row` drops rows with empty cells.
        lacking: texts that mean the same as an empty cell.
        progress: receives the number of rows so far, at intervals.

    Raises:
        Unusable: a text that no ballot could hold.
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
    """A column while its rows are read: the number of each row's text.

    After each 1,024 blocks of rows the numbers move into an array of the smallest integer type. So
    a column with few different values takes a byte per row.
    """

    def __init__(self) -> None:
        """Begin with a column without rows."""
        self.numbering = _Numbering()
        self.parts, self.fresh = list[_Codes](), list[_Codes]()

    def add(self, texts: Sequence[str]) -> None:
        """Append the texts of further rows to the column."""
        numbers = map(self.numbering.__getitem__, texts)
        self.fresh.append(np.fromiter(numbers, np.int32, len(texts)))
        if len(self.fresh) == MERGE_LIMIT:
            self._pack()

    def _pack(self) -> None:
        """Move the numbers of the latest rows into an array of the smallest integer type."""
        if self.fresh:
            kind = np.min_scalar_type(len(self.numbering))
            self.parts.append(np.concatenate(self.fresh).astype(kind))
            self.fresh.clear()

    def settle(self) -> list[_Codes]:
        """Return the text number of each row read so far, as arrays of consecutive rows.

        Texts are numbered in the order of their first occurrence.
        """
        self._pack()
        return self.parts

    def counted(self) -> _Codes:
        """Return the number of rows with each different text of the column."""
        size = len(self.numbering)
        counts = (np.bincount(part, minlength=size) for part in self.settle())
        return sum(counts, start=np.zeros(size, np.int64))

    def first(self, number: int) -> int:
        """Return the first row (from 0) with a text. number: the number of the text."""
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
    """Return the finished columns: texts in Unicode form NFC, without spaces around them, sorted.

    Missing cells get the value `missing`; if it is `drop-row`, their rows are dropped.

    columns: the columns as read. names: their names. lacking: texts that stand for a missing cell.
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
        column.parts.clear()  # frees memory, because the codes of these rows are in the table now
        values.append(order)
    if whole.all():
        return Encoded(table, tuple(values), 0, tuple(odd))
    return _drop(table, values, np.flatnonzero(whole).astype(np.int32), odd)


def _composed_note(
    name: str, column: _TextColumn, texts: Sequence[str], composed_texts: Sequence[str]
) -> str:
    """Return a note that letters and accents of some cells were joined into one character (NFC).

    name, column: the column. texts: its different texts. composed_texts: these texts in form NFC.
    """
    changed = np.fromiter(map(operator.ne, texts, composed_texts), bool, len(texts))
    cells = int(column.counted()[changed].sum())
    return f"column {name!r}: letters and accents of {cells:,} cells composed into one sign (NFC)"


def _drop(table: Codes, values: list[tuple[str, ...]], rows: Codes, odd: list[str]) -> Encoded:
    """Return only some rows, and the values that occur in them, with a note on dropped rows.

    rows: the numbers of the rows to keep. odd: receives the note.
    """
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
    """Raise Unusable for a text that is too long, or contains a control character.

    place: the index of the column. texts: its different texts.
    """
    if 4 * max(map(len, texts), default=0) <= MAX_WIDTH and "".join(texts).isprintable():
        return  # no text is too long or has a control character
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
