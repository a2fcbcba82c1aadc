"""The JSON of messages in the wire vectors: it follows from the rows of messages.

Fields are given by their names; bytes in hexadecimal. A record in a list is the list of its values,
unless one of them may be left out; a record that is one of several begins with its name.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from field_faults import field_values
from veilmix.crypto.keys import PublicKey
from veilmix.errors import Reason
from veilmix.protocol.wire.counts import COUNTS
from veilmix.protocol.wire.fields import (
    Array,
    FieldType,
    Flagged,
    Matching,
    Maybe,
    Nested,
    OneOf,
    Trailing,
)
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import Hiding, Mask, Redact
from veilmix.protocol.wire.records import row_of
from wire_examples import Vector
from wire_tables import is_spread, record_name


def shown(message: Message) -> Vector:
    """Return a message in JSON."""
    said = {"kind": message.kind.name.lower(), "session": message.session.hex()}
    said |= {"round": message.round, "body": shown_body(message.body), "seal": None}
    if message.seal is not None:
        sealed = message.seal
        said["seal"] = {"witness": sealed.witness.hex(), "signature": sealed.signature.hex()}
    return said


def shown_body(record: Any) -> Vector:
    """Return the fields of a record by their names, without those that are left out."""
    row = row_of(type(record))
    return _fields(row, field_values(row, record))


def _fields(row: Any, values: Any) -> Vector:
    fields: Vector = {}
    for (name, type_), value in zip(row.items(), values, strict=True):
        if is_spread(type_):
            fields |= shown_body(value)
        elif not _is_left_out(type_, value):
            fields[name] = shown_value(type_, value)
    return fields


def _is_left_out(type_: FieldType, value: Any) -> bool:
    match type_:
        case Trailing():
            return not value
        case Flagged(entry=FieldType(), absent=absent):
            return absent is not None and value == absent
    return False


def shown_value(type_: FieldType, value: Any) -> Any:
    """Return the value of a field."""
    match type_:
        case Nested(record=record):
            row = row_of(record)
            fields = _fields(row, field_values(row, value))
            return fields if has_optional(record) else list(fields.values())
        case OneOf():
            return [record_name(type(value)), *shown_body(value).values()]
        case Maybe(entry=entry, absent=absent) if value != absent:
            return shown_value(entry, value)
        case Flagged(entry=FieldType() as entry, absent=absent) if value != absent:
            return shown_value(entry, value)
        case Array(entry=entry) | Matching(entry=entry):
            return [shown_value(entry, each) for each in value]
    if type_ is COUNTS:
        return [[list(cell), value[cell]] for cell in sorted(value)]
    match value:
        case bytes():
            return value.hex()
        case PublicKey():
            return value.encode().hex()
        case Enum():
            return value.value
        case Mask() | Redact():
            return shown_hiding(value)
        case Mapping():
            return in_order(value)
        case tuple():
            return [each.hex() for each in value]  # items
    return value


def has_optional(record: type) -> bool:
    """Whether a field of a record may be left out."""
    return any(isinstance(type_, Flagged) and type_.entry for type_ in row_of(record).values())


def shown_hiding(rule: Hiding) -> Vector:
    """Return the rule by which users hide values of a column."""
    match rule:
        case Mask(column, said):
            return {"column": column, "mask": list(said)}
        case Redact(column, values, cover):
            return {"column": column, "redact": list(values), "cover": cover}


def in_order(refused: Any) -> dict[str, int]:
    """Return the refusals, in the order of the codes."""
    return {reason.value: refused[reason] for reason in Reason if reason in refused}
