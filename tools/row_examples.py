"""Examples of messages, made from their rows (protocol/wire/fields.py): the vectors' other half.

Of each message there is an example with the smallest values that the types of its fields accept,
one with the largest, and one in between. A list has at most a few entries; bytes, texts and keys
differ from field to field. An example is left out if its fields do not agree with each other
(`check` and `adds_up`), or if it is equal to a smaller one. wire_examples.py has messages whose
fields agree.
"""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.suites import suite
from veilmix.errors import ParameterError, Reason
from veilmix.protocol.wire.fields import (
    Array,
    Blob,
    Codec,
    Double,
    Either,
    EqualSize,
    FieldType,
    FixedBytes,
    Flagged,
    Items,
    LineText,
    Matching,
    Maybe,
    Name,
    Nested,
    Number,
    OneOf,
    Trailing,
)
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.records import order_key, row_of

SMALLEST, MIDDLE, LARGEST = LEVELS = range(3)
NAMES = ("smallest", "middle", "largest")
SIZES = (0, 9, 300)  # bytes of a blob
FEW = 5  # entries of a list, at most
U32 = (1 << 32) - 1


class Examples:
    """The examples of a level; no two of its byte strings, texts and keys are equal."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.numbers = count(1)

    def record(self, record: Any, place: int = 0) -> Any:
        """Make a record; ParameterError if its fields do not agree. place: in a list."""
        fields: dict[str, Any] = {}
        for name, type_ in row_of(record).items():
            if isinstance(type_, Matching):
                number = len(fields[type_.field]) + type_.more
                fields[name] = tuple(self.value(type_.entry) for _ in range(number))
            else:
                fields[name] = self.value(type_, place)
        made = record(**fields)
        if not getattr(made, "adds_up", lambda: True)():
            raise ParameterError(f"{record.__name__}: its fields do not add up")
        return made

    def value(self, type_: FieldType, place: int = 0) -> Any:
        """Make a value of a type. place: in a list, whose entries ascend."""
        level = self.level
        match type_:
            case Number(minimum=minimum, limit=limit):
                return (minimum + place, (minimum + limit) // 2 + place, limit - place)[level]
            case Double(minimum=minimum, maximum=maximum):
                middle = 0.5 if maximum is None else (minimum + maximum) / 2
                return (minimum, middle, 2.0**52 if maximum is None else maximum)[level] + place
            case LineText(limit=limit):
                word = f"{next(self.numbers):04}"
                return (word[-1], word, word.ljust(limit, "x"))[level]
            case FixedBytes(size=size):
                return self.bytes(size)
            case EqualSize():
                return self.bytes(7)
            case Trailing(size=size):
                return self.bytes(size if level else 0)
            case Blob(sizes=sizes):
                size = (
                    (sizes[0], sizes[len(sizes) // 2], sizes[-1])[level] if sizes else SIZES[level]
                )
                return self.bytes(size)
            case Name(members=members):
                listed = list(members)
                return (listed[place], listed[len(listed) // 2 - 1 + place], listed[place - 1])[
                    level
                ]
            case Either(unset=unset, chosen=chosen):
                return chosen if level else unset
            case Flagged(entry=None):
                return level == LARGEST
            case Flagged(entry=FieldType() as entry, absent=absent):
                return self.value(entry) if level else absent
            case Maybe(entry=entry, absent=absent):
                return self.value(entry) if level else absent
            case Nested(record=record):
                return self.record(record, place)
            case OneOf(records=records):
                return self.record(records[place % len(records)])
            case Items() | Array():
                return self.list(type_)
            case Codec(name=name):
                return CODECS[name](self, place)
        raise TypeError(type_)

    def list(self, type_: Array | Items) -> tuple[Any, ...]:
        """Make a list in its order."""
        sizes = (type_.minimum, max(type_.minimum, 2), max(type_.minimum, FEW - 2))
        size = min(sizes[self.level], FEW if type_.maximum is None else type_.maximum)
        if isinstance(type_.entry, Name):
            size = min(size, len(type_.entry.members))
        records = isinstance(type_.entry, OneOf)
        if records and self.level == LARGEST:
            size = FEW
        entries = [self.value(type_.entry, place) for place in range(size)]
        if type_.order == "ascending":
            entries = sorted(entries, key=order_key(type_.entry))
        if isinstance(type_.entry, Name):
            entries = [member for member in type_.entry.members if member in entries]
        return tuple(entries)

    def bytes(self, size: int) -> bytes:
        """Make bytes that differ from all others of this level."""
        return SeededEntropy(next(self.numbers)).random(size)


def text(examples: Examples, place: int) -> str:
    """Make a text; the shortest is empty."""
    if not examples.level:
        return str(place or "")
    return f"Zürich {next(examples.numbers)} " + "\N{GRINNING FACE}" * 9 * (examples.level - 1)


# Types that are no rows (decision 135).
CODECS: dict[str, Callable[[Examples, int], Any]] = {
    "text": text,
    "key": lambda examples, _: suite().keypair(SeededEntropy(next(examples.numbers))).public,
    "refusals": lambda examples, _: (
        {},
        {Reason.WRONG_SIZE: 1, Reason.DUPLICATE: 258},
        dict.fromkeys(Reason, U32),
    )[examples.level],
    "counts": lambda examples, _: {("+",): 9, ("-",): 2} if examples.level else {},
    "rule": lambda examples, place: (
        Mask(place, ("0", "A")),
        Mask(place, ("0", "A")),
        Redact(place, ("AB", "B"), U32),
    )[examples.level],
}


def examples_of(record: type) -> Iterator[tuple[str, Any]]:
    """Yield the level and the example of each level at which its fields agree; none is equal."""
    found: list[Any] = []
    for level in LEVELS:
        try:
            made = Examples(level).record(record)
        except ParameterError:
            continue
        if made not in found:
            found.append(made)
            yield NAMES[level], made
