"""Detection of the encoding of a text file, by the first rule that fits.

    a byte-order mark             UTF-8, UTF-16, UTF-32
    every second byte is 0        UTF-16 without a byte-order mark
    the whole file is UTF-8       UTF-8: text of another encoding is hardly ever valid UTF-8
    bytes 0x80 to 0x9f            cp1252 (Windows), if it defines all of these bytes
    else                          Latin-1

A statistical detector would distinguish more encodings, but err for short tables and tables full of
codes. The user can overrule the choice.
"""

import codecs
from collections.abc import Iterator
from pathlib import Path

from ...errors import DataError
from ..serialization.content import PIECE, Content

HEAD = 4096  # first bytes of a file, in which zero bytes are counted to detect UTF-16
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # before UTF-16, because UTF-16's byte-order mark is the beginning of this mark
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ENCODING_LABELS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a mark",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "latin-1": "Latin-1",
}
UNKNOWN_TO_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")
CONTROLS = frozenset(
    {*range(0x20), 0x7F} - set(b"\t\n\r\x0c\x1a")
)  # control characters that no text file contains
KNOWN_AS = {b"PK\x03\x04": "an Excel workbook (.xlsx)", b"PAR1": "a Parquet file (.parquet)"}
ONE_BYTE = ("latin-1", "cp1252", "iso8859-15")  # encodings with one byte for each character
OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def encoding_of(content: Content, chosen_encoding: str | None = None) -> str:
    """Return the encoding of a text file, detected or checked.

    chosen_encoding: the user's choice; None: detect it. Raises DataError for a binary file, or a
    wrong choice.
    """
    with content.open() as file:
        head = file.read(HEAD)
    _text(content.path, head)
    if chosen_encoding is not None:
        return _checked_encoding(content, chosen_encoding, head)
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    odd, even_zeros = head[1::2].count(0), head[::2].count(0)
    if max(odd, even_zeros) > len(head) // 5:
        return "utf-16-le" if odd > even_zeros else "utf-16-be"
    return _without_mark(content)


def encoding_label(encoding: str) -> str:
    """Return the name of an encoding for messages, such as "UTF-8"."""
    return ENCODING_LABELS.get(encoding, encoding)


def misread(path: Path, encoding: str, bad: UnicodeError) -> DataError:
    """Return the error for bytes that are not valid in an encoding."""
    remedy = "leave the encoding out, and it is detected"
    return DataError(f"{path}: not {encoding_label(encoding)}: {bad}; {remedy}")


def _without_mark(content: Content) -> str:
    """Return the encoding of a file without a byte-order mark; DataError for a binary file."""
    if _is_utf8(content):
        return "utf-8"
    values = set[int]()
    for piece in _pieces(content):
        values.update(piece)
    if values & CONTROLS:
        raise DataError(
            f"{content.path}: not a text file: it holds the byte 0x{min(values & CONTROLS):02x}; "
            "save the table as CSV"
        )
    windows = any(0x80 <= byte < 0xA0 for byte in values) and not values & UNKNOWN_TO_CP1252
    return "cp1252" if windows else "latin-1"


def _is_utf8(content: Content) -> bool:
    """Whether the whole file decodes as UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in _pieces(content):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _pieces(content: Content) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    with content.open() as file:
        while piece := file.read(PIECE):
            yield piece


def _text(path: Path, head: bytes) -> None:
    """Raise DataError if the file begins like a workbook or a Parquet file.

    head: the first bytes of the file.
    """
    for start, file_kind in KNOWN_AS.items():
        if head.startswith(start):
            raise DataError(f"{path}: holds {file_kind}; give the file that ending")
    if head.startswith(OLD_EXCEL):
        raise DataError(
            f"{path}: holds an old Excel workbook, or one with a password; give it the ending .xls"
        )


def _checked_encoding(content: Content, encoding: str, head: bytes) -> str:
    """Return the user's encoding by Python's name; DataError if the bytes contradict it.

    head: the first bytes of the file.
    """
    path = content.path
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise DataError(
            f"{path}: no encoding is called {encoding!r}; utf-8, utf-16, latin-1 and cp1252 are "
            "usual"
        ) from None
    name = {"iso8859-1": "latin-1"}.get(name, name)
    marked = next((mark_encoding for mark, mark_encoding in MARKS if head.startswith(mark)), "")
    if name == "utf-8" and marked == "utf-8-sig":
        return marked
    if marked and name.split("-")[:2] != marked.split("-")[:2]:
        mark_name = encoding_label(marked).split(" ")[0]
        raise DataError(
            f"{path}: begins with the mark of {mark_name}, so it is not {encoding}; leave it out"
        )
    if name in ONE_BYTE and not _is_ascii(content) and _is_utf8(content):
        raise DataError(
            f"{path}: is UTF-8 throughout, so it is not {encoding}; leave the encoding out"
        )
    return name


def _is_ascii(content: Content) -> bool:
    """Whether the file has ASCII bytes only."""
    return all(piece.isascii() for piece in _pieces(content))
