"""Messages with one fault in one field: what the type of the field does not accept.

The faults follow from the rows of messages (protocol/wire/fields.py). Each is a positive message of
wire_examples.py in which one field is encoded otherwise.
"""

from collections.abc import Iterator
from typing import Any

from veilmix.protocol.wire.bodies import KINDS
from veilmix.protocol.wire.fields import (
    Array,
    Blob,
    Either,
    EqualSize,
    FieldType,
    FixedBytes,
    Items,
    Matching,
    Maybe,
    Name,
    Nested,
    Number,
)
from veilmix.protocol.wire.frames import HEADER
from veilmix.protocol.wire.records import Body, row_of, writer
from veilmix.protocol.wire.wire import Writer
from wire_examples import BODIES, encoded

Fault = tuple[str, bytes]  # its name, and the bytes of the field


def written(type_: FieldType, value: Any) -> bytes:
    """Return the encoding of a value."""
    out = Writer()
    writer(type_)(out, value)
    return out.finish()


def is_plain(body: Body) -> bool:
    """Whether a class reads and writes its fields by its row alone."""
    made = getattr(type(body).__dict__.get("read"), "__func__", None)
    return made is None or made.__name__ == "generated"


def plain_messages() -> Iterator[tuple[str, bytes, dict[str, FieldType], list[bytes]]]:
    """Yield the messages made by their rows: name, header, row, and the encoding of each field."""
    for name, (_, body) in BODIES.items():
        if is_plain(body):
            row = dict(row_of(type(body)))
            fields = [written(type_, getattr(body, field)) for field, type_ in row.items()]
            yield name, encoded(name)[:HEADER], row, fields


def cut_fields() -> Iterator[tuple[str, bytes]]:
    """Yield each message cut in each of its fields, a byte before the end of the field."""
    for name, header, row, fields in plain_messages():
        for place, field in enumerate(row):
            if fields[place]:
                yield f"{name}-{field}-cut", header + b"".join(fields[: place + 1])[:-1]


def field_faults() -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, name and bytes of a message for each value that a field does not accept."""
    seen = set[tuple[str, str]]()
    for name, header, row, fields in plain_messages():
        body = BODIES[name][1]
        kind = KINDS[type(body)].name.lower()
        for place, (field, type_) in enumerate(row.items()):
            for what, wrong in faults(type_, getattr(body, field)):
                fault = (kind, f"{field}-{what}")
                if fault not in seen:
                    seen.add(fault)
                    whole = [*fields[:place], wrong, *fields[place + 1 :]]
                    yield *fault, header + b"".join(whole)


def faults(type_: FieldType, value: Any) -> Iterator[Fault]:
    """Yield encodings in the place of a value which the type refuses."""
    match type_:
        case Number(size=size, minimum=minimum, limit=limit):
            if minimum:
                yield "too-small", (minimum - 1).to_bytes(size, "big")
            if limit < (1 << 8 * size) - 1:
                yield "too-large", (limit + 1).to_bytes(size, "big")
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
            yield from _inside(record, value)
        case Items() | Array():
            yield from _list_faults(type_, tuple(value))


def _inside(record: type, value: Any) -> Iterator[Fault]:
    """Yield encodings of a record with a fault in one of its fields."""
    row = row_of(record)
    is_tuple = isinstance(value, tuple)
    values = list(value) if is_tuple else [getattr(value, name) for name in row]
    fields = [written(type_, each) for type_, each in zip(row.values(), values, strict=True)]
    for place, (name, type_) in enumerate(row.items()):
        for what, wrong in faults(type_, values[place]):
            yield f"{name}-{what}", b"".join([*fields[:place], wrong, *fields[place + 1 :]])


def _list_faults(type_: Array | Items, values: tuple[Any, ...]) -> Iterator[Fault]:
    """Yield encodings of a list that is too short, too long, not in order, or has a wrong entry."""
    if not values:
        return
    if type_.minimum:
        yield "of-nothing", written(type_, ())
    if type_.maximum and not type_.order:
        yield "of-too-many", written(type_, values[:1] * (type_.maximum + 1))
    if type_.order == "ascending" and len(values) > 1:
        yield "descending", written(type_, values[::-1])
    if type_.order:
        yield "twice", written(type_, (values[0], *values[:-1]) if values[1:] else 2 * values)
    if isinstance(type_, Items) and isinstance(type_.entry, FixedBytes):
        yield "of-another-width", written(type_, [value[:-1] for value in values])
    if isinstance(type_, Array) and not _has_alike(type_.entry):
        number = len(values).to_bytes(type_.count, "big")
        rest = b"".join(written(type_.entry, value) for value in values[1:])
        inside = "" if isinstance(type_.entry, Nested) else "entry-"
        for what, wrong in faults(type_.entry, values[0]):
            yield f"{inside}{what}", number + wrong + rest


def _has_alike(entry: FieldType) -> bool:
    return isinstance(entry, Nested) and EqualSize() in row_of(entry.record).values()
