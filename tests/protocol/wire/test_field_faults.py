"""A message with one wrong field is refused, by veilmix and by a reader that shares no code."""

import field_faults
import independent_wire
import pytest
import wire_tables
from veilmix.errors import Reason, Refused
from veilmix.protocol.wire.bodies import TABLE
from veilmix.protocol.wire.fields import Array, EqualSize, FixedBytes, Maybe, Number, Trailing
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Kind
from veilmix.protocol.wire.records import predicate, reader, row_of
from veilmix.protocol.wire.wire import Reader

FAULTS = [(f"{kind}-{name}", data) for kind, name, data in field_faults.field_faults()]


@pytest.mark.parametrize("cases", [FAULTS, list(field_faults.cut_fields())], ids=["wrong", "cut"])
def test_both_readers_refuse_each_fault(cases: list[tuple[str, bytes]]) -> None:
    for name, data in cases:
        with pytest.raises(Refused) as caught:
            decode_message(data)
        assert caught.value.reason is Reason.MALFORMED, name
        assert not independent_wire.accepts(data), name


def test_every_field_with_a_limit_has_a_fault() -> None:
    """But for bytes of fixed size, and lists of such bytes, which are cut."""
    named = " ".join(name for name, _ in FAULTS)
    for kind, row in TABLE.items():
        for name, type_ in row_of(row.body).items():
            listed = getattr(type_, "entry", None)
            is_cut = isinstance(listed, FixedBytes) and type_ == Array(listed)
            if predicate(type_) and not isinstance(type_, FixedBytes | Trailing) and not is_cut:
                assert f"{Kind(kind).name.lower()}-{name}" in named
    for record in wire_tables.inner_records().values():
        for name, type_ in row_of(record).items():
            fixed = isinstance(type_, FixedBytes | Trailing | EqualSize)
            if predicate(type_) and not fixed:
                assert f"{name}-" in named, (record, name)


def test_a_value_that_may_be_absent_is_there_once_at_most() -> None:
    """Also if the number says two and the bytes hold one."""
    read = reader(Maybe(Number(4), count=2))
    assert read(Reader(bytes(2))) is None
    assert read(Reader(bytes.fromhex("0001 00000007"))) == 7
    with pytest.raises(Refused):
        read(Reader(bytes.fromhex("0002 00000007")))
