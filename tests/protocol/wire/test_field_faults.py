"""A message with one wrong field is refused, by veilmix and by a reader that shares no code."""

import field_faults
import independent_wire
import pytest
from veilmix.errors import Reason, Refused
from veilmix.protocol.wire.bodies import KINDS, TABLE
from veilmix.protocol.wire.fields import Codec, FixedBytes, Maybe, Number
from veilmix.protocol.wire.frames import decode_message
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
    """But for bytes of fixed size, which are cut, and for what the record reads itself."""
    named = " ".join(name for name, _ in FAULTS)
    plain = {
        KINDS[type(body)] for _, body in field_faults.BODIES.values() if field_faults.is_plain(body)
    }
    for kind in plain:
        for name, type_ in row_of(TABLE[kind].body).items():
            if predicate(type_) and not isinstance(type_, FixedBytes | Codec):
                assert f"{kind.name.lower()}-{name}" in named


def test_a_value_that_may_be_absent_is_there_once_at_most() -> None:
    """Also if the number says two and the bytes hold one."""
    read = reader(Maybe(Number(4), count=2))
    assert read(Reader(bytes(2))) is None
    assert read(Reader(bytes.fromhex("0001 00000007"))) == 7
    with pytest.raises(Refused):
        read(Reader(bytes.fromhex("0002 00000007")))
