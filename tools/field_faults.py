"""Messages with one fault in one field: what the type of the field does not accept.

The faults follow from the rows of messages (protocol/wire/fields.py). Each is a positive message of
wire_examples.py in which one field is encoded otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, takewhile
from math import inf, nextafter
from typing import Any

from veilmix.protocol.wire.bodies import KINDS
from veilmix.protocol.wire.fields import (
    Array,
    Blob,
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
from veilmix.protocol.wire.frames import HEADER
from veilmix.protocol.wire.records import highest_bit, row_of, writer
from veilmix.protocol.wire.wire import Writer
from wire_examples import BODIES, encoded

Fault = tuple[str, bytes]  # its name, and the bytes of the field
LONG = 1 << 16  # bytes; of a list that would be longer there is no fault "of-too-many"


def written(type_: FieldType, value: Any) -> bytes:
    """Return the encoding of a value."""
    out = Writer()
    writer(type_)(out, value)
    return out.finish()


def pieces(record: type, value: Any) -> dict[str, bytes]:
    """Return the encoding of each field of a record; a byte of flags is of the first of them."""
    row = row_of(record)
    types, values = list(row.values()), field_values(row, value)
    encodings = list[bytes]()
    for place, (type_, each) in enumerate(zip(types, values, strict=True)):
        after = types[place + 1] if place + 1 < len(types) else None
        match type_:
            case Flagged():
                first = not place or not isinstance(types[place - 1], Flagged)
                flags = bytes([_flags(types[place:], values[place:])]) if first else b""
                there = type_.entry is not None and each != type_.absent
                encodings.append(flags + (written(type_.entry, each) if there else b""))
            case Trailing():
                encodings.append(each)
            case Array() if isinstance(after, Trailing) and values[place + 1]:
                number = len(each) | highest_bit(type_)
                encodings.append(
                    number.to_bytes(type_.count, "big") + written(type_, each)[type_.count :]
                )
            case _:
                encodings.append(written(type_, each))
    return dict(zip(row, encodings, strict=True))


def field_values(row: Mapping[str, FieldType], value: Any) -> list[Any]:
    """Return the values of a record's fields, in the order of the bytes."""
    return list(value) if isinstance(value, tuple) else [getattr(value, name) for name in row]


def _flags(types: Sequence[FieldType], values: Sequence[Any]) -> int:
    """Return the byte of the flags that neighbours share."""
    return sum(
        (value != type_.absent) << bit
        for bit, (type_, value) in enumerate(zip(_neighbours(types), values, strict=False))
    )


def framed(name: str, body: bytes) -> bytes:
    """Return the message with other fields than an example."""
    measured = len(body).to_bytes(4, "big") if BODIES[name][1].MEASURED else b""
    return encoded(name)[:HEADER] + measured + body


def cut_fields() -> Iterator[tuple[str, bytes]]:
    """Yield each message cut in each of its fields, a byte before the end of the field."""
    for name, (_, body) in BODIES.items():
        fields = pieces(type(body), body)
        for place, (field, data) in enumerate(fields.items()):
            if data:
                yield (
                    f"{name}-{field}-cut",
                    framed(name, b"".join([*fields.values()][: place + 1])[:-1]),
                )


def field_faults() -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, name and bytes of a message for each value that a field does not accept."""
    seen = set[tuple[str, str]]()
    for name, (_, body) in BODIES.items():
        kind = KINDS[type(body)].name.lower()
        for what, data in record_faults(type(body), body):
            if (kind, what) not in seen:
                seen.add((kind, what))
                yield kind, what, framed(name, data)


def record_faults(record: type, value: Any) -> Iterator[Fault]:
    """Yield encodings of a record with a fault in one of its fields."""
    row, fields = row_of(record), pieces(record, value)
    types, values = list(row.values()), field_values(row, value)
    for place, (name, type_) in enumerate(row.items()):
        of = "" if isinstance(type_, Nested) and type_.spread else f"{name}-"
        wrong = faults(type_, values[place])
        if isinstance(type_, Flagged):
            wrong = chain(
                _flag_faults(types, place, fields[name]),
                _part_faults(type_, fields[name], values[place]),
            )
        elif place + 1 < len(types) and isinstance(types[place + 1], Trailing):
            continue  # the number of the list has a bit of the field behind it
        for what, data in wrong:
            yield f"{of}{what}", b"".join((fields | {name: data}).values())


def _flag_faults(types: Sequence[FieldType], place: int, data: bytes) -> Iterator[Fault]:
    """Yield encodings of the first of neighbours with flags in which a flag of no field is set."""
    if place and isinstance(types[place - 1], Flagged):
        return
    number = sum(1 for _ in _neighbours(types[place:]))
    yield "flag-of-no-field", bytes([data[0] | 1 << number]) + data[1:]


def _neighbours(types: Sequence[FieldType]) -> Iterator[Flagged]:
    """Return the types at the front that share a byte of flags."""
    return takewhile(lambda type_: isinstance(type_, Flagged), types)  # type: ignore[return-value]


def _part_faults(type_: Flagged, data: bytes, value: Any) -> Iterator[Fault]:
    """Yield encodings of a part that may be left out, with a fault in it."""
    if type_.entry is None or value == type_.absent:
        return
    before = data[: -len(written(type_.entry, value))]
    for what, wrong in faults(type_.entry, value):
        yield what, before + wrong


def faults(type_: FieldType, value: Any) -> Iterator[Fault]:
    """Yield encodings in the place of a value which the type refuses."""
    match type_:
        case Number(size=size, minimum=minimum, limit=limit):
            if minimum:
                yield "too-small", (minimum - 1).to_bytes(size, "big")
            if limit < (1 << 8 * size) - 1:
                yield "too-large", (limit + 1).to_bytes(size, "big")
        case Double(minimum=minimum, maximum=float() as maximum):
            yield "too-small", written(type_, nextafter(minimum, -inf))
            yield "too-large", written(type_, nextafter(maximum, inf))
        case LineText(limit=limit):
            yield "of-nothing", written(type_, "")
            yield "with-a-space", written(type_, value + " ")
            yield "with-a-newline", written(type_, value[:1] + "\n" + value[1:])
            yield "too-long", written(type_, value + limit * "x")
        case Blob(sizes=sizes) if sizes and value:
            yield "of-another-size", written(type_, value[:-1])
        case Name():
            yield "unknown", written(type_, value + "?")
        case Either():
            yield "neither", b"\2"
        case Maybe(entry=entry, count=count, absent=absent) if value != absent:
            yield "twice", (2).to_bytes(count, "big") + 2 * written(entry, value)
            for what, wrong in faults(entry, value):
                yield what, (1).to_bytes(count, "big") + wrong
        case Matching() if value:
            yield "one-fewer", written(type_, value[:-1])
        case Nested(record=record):
            yield from record_faults(record, value)
        case OneOf(records=records):
            data = written(type_, value)
            yield "of-kind-0", b"\0" + data[1:]
            yield "of-an-unknown-kind", bytes([len(records) + 1]) + data[1:]
            for what, wrong in record_faults(type(value), value):
                yield what, data[:1] + wrong
        case Items() | Array():
            yield from _list_faults(type_, tuple(value))


def _list_faults(type_: Array | Items, values: tuple[Any, ...]) -> Iterator[Fault]:
    """Yield encodings of a list that is too short, too long, not in order, or has a wrong entry."""
    if not values:
        return
    if type_.minimum:
        yield "of-nothing", written(type_, ())
    size = (type_.maximum or 0) * len(written(Array(type_.entry), values[:1]))
    if type_.maximum and not type_.order and size < LONG:
        yield "of-too-many", written(type_, values[:1] * (type_.maximum + 1))
    if type_.order in ("ascending", "listed") and len(values) > 1:
        yield "descending", written(type_, values[::-1])
    if type_.order:
        yield "twice", written(type_, (values[0], *values[:-1]) if values[1:] else 2 * values)
    if isinstance(type_, Items) and isinstance(type_.entry, FixedBytes):
        yield "of-another-width", written(type_, [value[:-1] for value in values])
    if isinstance(type_, Array) and not _has_alike(type_.entry):
        yield from _entry_faults(type_, values)


def _entry_faults(type_: Array, values: tuple[Any, ...]) -> Iterator[Fault]:
    """Yield encodings of a list with a fault in its first entry, or in its first of each class."""
    encodings = [written(type_.entry, value) for value in values]
    for place, value in enumerate(values if isinstance(type_.entry, OneOf) else values[:1]):
        inside = "" if isinstance(type_.entry, Nested | OneOf) else "entry-"
        for what, wrong in faults(type_.entry, value):
            entries = [*encodings[:place], wrong, *encodings[place + 1 :]]
            number = len(values).to_bytes(type_.count, "big")
            yield f"{inside}{what}", number + b"".join(entries)


def _has_alike(entry: FieldType) -> bool:
    return isinstance(entry, Nested) and EqualSize() in row_of(entry.record).values()
