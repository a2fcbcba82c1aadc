"""The types of message fields: each message class lists the types of its fields (decision 135).

From this list, records.py generates the reader, the writer and the check of a message. From the
same list, tools/wire_tables.py generates the tables of docs/wire.md, the tables of the JavaScript
reader, and the fields and faults of the test vectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from ...crypto.signing import SIGNATURE, SIGNING_KEY
from .wire import Reader, Writer

# Required order of a list. ascending: strictly; distinct: no entry twice; listed: in the order of
# the enumeration's members, no entry twice.
Order = Literal["", "ascending", "distinct", "listed"]

DIGEST = 32  # bytes of SHA-256


class FieldType:
    """The base class of field types: the accepted values of a field, and their encoding."""


@dataclass(frozen=True)
class Number(FieldType):
    """The type of an unsigned integer.

    Attributes:
        size: the number of bytes: 1, 2 or 4.
        minimum: the smallest accepted value.
        maximum: the largest accepted value; None: the largest that these bytes hold.
    """

    size: int
    minimum: int = 0
    maximum: int | None = None

    @property
    def limit(self) -> int:
        """The largest accepted value."""
        return (1 << 8 * self.size) - 1 if self.maximum is None else self.maximum


@dataclass(frozen=True)
class Double(FieldType):
    """The type of a finite floating-point number of 64 bits.

    Attributes:
        minimum: the smallest accepted value, if there is a maximum.
        maximum: the largest accepted value; None: all finite values are accepted.
    """

    minimum: float = 0.0
    maximum: float | None = None


@dataclass(frozen=True)
class LineText(FieldType):
    """The type of a text of one line, without white space at its ends (lines.py).

    Attributes:
        limit: the largest number of bytes in UTF-8.
    """

    limit: int


@dataclass(frozen=True)
class FixedBytes(FieldType):
    """The type of a byte string of fixed length, encoded without its length.

    Attributes:
        size: the number of bytes.
    """

    size: int


@dataclass(frozen=True)
class Blob(FieldType):
    """The type of a byte string, encoded after its length.

    Attributes:
        sizes: the accepted lengths; empty: all.
    """

    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class EqualSize(FieldType):
    """The type of a byte string that has the same length, not 0, in all records of a list.

    The common length is encoded once, after the number of records.
    """


@dataclass(frozen=True)
class Name(FieldType):
    """The type of a field that holds a member of an enumeration, encoded as the member's text.

    Attributes:
        members: the enumeration.
    """

    members: type[StrEnum]


@dataclass(frozen=True)
class Either(FieldType):
    """The type of a field with two possible values, encoded as a byte 0 or 1.

    Attributes:
        unset: the value that is encoded as 0.
        chosen: the value that is encoded as 1.
    """

    unset: object
    chosen: object


@dataclass(frozen=True)
class Items(FieldType):
    """The type of a list of byte strings, encoded as by `Writer.items`.

    Attributes:
        entry: `FixedBytes` if all byte strings have one size; else `Blob`.
        minimum: the smallest accepted number of entries.
        maximum: the largest accepted number of entries; None: any number that the encoding holds.
        order: the required order of the entries; "": any order.
    """

    entry: FixedBytes | Blob = Blob()
    minimum: int = 0
    maximum: int | None = None
    order: Order = ""


@dataclass(frozen=True)
class Array(FieldType):
    """The type of a list of values, encoded after the number of values.

    Attributes:
        entry: the type of an entry.
        count: the bytes of the number of entries: 2 or 4.
        minimum: the smallest accepted number of entries.
        maximum: the largest accepted number of entries; None: any number that these bytes hold.
        order: the required order of the entries; "": any order. Records are compared by their
            first field.
    """

    entry: FieldType
    count: int = 2
    minimum: int = 0
    maximum: int | None = None
    order: Order = ""


@dataclass(frozen=True)
class Maybe(FieldType):
    """The type of an optional value, encoded after the number of values: 0 or 1.

    Attributes:
        entry: the type of the value.
        count: the bytes of the number of values, 1 or 2.
        absent: the value of an absent field.
    """

    entry: FieldType
    count: int = 1
    absent: object = None


@dataclass(frozen=True)
class Matching(FieldType):
    """The type of a list whose length follows from an earlier list and so is not encoded.

    Attributes:
        entry: the type of an entry.
        field: the name of the earlier list.
        more: the number of entries that this list has more than the earlier list.
    """

    entry: FieldType
    field: str
    more: int = 0


@dataclass(frozen=True)
class Trailing(FieldType):
    """The type of an optional byte string behind a list.

    The list is encoded after its number of entries. The highest bit of this number says whether the
    byte string is present.

    Attributes:
        size: the number of bytes, if present.
    """

    size: int


@dataclass(frozen=True)
class Flagged(FieldType):
    """The type of an optional field; a bit of a shared byte says whether it is present.

    Adjacent fields of this type in a record share one byte, which is encoded before them. Its
    lowest bit belongs to the first field. The values of the present fields follow, in order.

    Attributes:
        entry: the type of the value; None: the field is the bit itself.
        absent: the value of an absent field, which a present field never has.
    """

    entry: FieldType | None = None
    absent: object = False


@dataclass(frozen=True)
class Nested(FieldType):
    """The type of a field that holds another record: the record's fields are encoded in order.

    Attributes:
        record: the class of the other record.
        spread: whether JSON lists these fields next to those of the outer record, and not as a list
            of their own.
    """

    record: type
    spread: bool = False


@dataclass(frozen=True)
class OneOf(FieldType):
    """The type of a record of one of several classes.

    Before the record, one byte encodes the index of its class, from 1.

    Attributes:
        records: the classes.
    """

    records: tuple[type, ...]


@dataclass(frozen=True)
class Codec(FieldType):
    """The type of a value whose reader and writer are written by hand; docs/wire.md describes it.

    Attributes:
        name: the name of the type in the notation of docs/wire.md.
        read: reads a value; raises Refused(MALFORMED) if any byte is wrong.
        write: the inverse of `read`.
    """

    name: str
    read: Callable[[Reader], Any]
    write: Callable[[Writer, Any], object]


TEXT, DOUBLE, FLAG = Codec("text", Reader.text, Writer.text), Double(), Either(False, True)

U8 = Annotated[int, Number(1)]
U32 = Annotated[int, Number(4)]
Step = Annotated[int, Number(1, minimum=1)]  # a step of a round, from 1
Peer = Annotated[int, Number(2, minimum=1)]  # the number of a peer, from 1
Flag = Annotated[bool, FLAG]
Bit = Annotated[bool, Flagged()]
Text = Annotated[str, TEXT]
Texts = Annotated[tuple[str, ...], Array(TEXT)]
Bytes = Annotated[bytes, Blob()]
Digest = Annotated[bytes, FixedBytes(DIGEST)]
Signature = Annotated[bytes, FixedBytes(SIGNATURE)]
Identity = Annotated[bytes, FixedBytes(SIGNING_KEY)]
