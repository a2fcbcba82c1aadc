"""The wire format: whatever goes in comes out, and whatever is wrong is refused in one way."""

import random
import tracemalloc
from pathlib import Path
from typing import Any

import independent_wire
import protocol_kit as KIT
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.wire.counts import read_counts
from veilmix.protocol.wire.frames import HEADER, Message, decode_message
from veilmix.protocol.wire.messages import Call, CommittedDecision, Kind, Tally
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.wire import Reader, Writer, decode

KINDS = list(KIT.BODIES)


def refused_or_canonical(data: bytes) -> bool:
    """Decode: either it is refused as malformed, or it is the encoding of what it says."""
    try:
        message = decode_message(data)
    except Refused as refused:
        refusal = refused
    else:
        assert message.encode() == data
        return True
    assert refusal.reason is Reason.MALFORMED
    return False


def header(kind: Kind, number: int = 1) -> bytes:
    return b"vm\x01" + bytes([kind]) + bytes(32) + bytes([number])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_comes_back_as_it_was(kind: type) -> None:
    @settings(max_examples=30, deadline=None)
    @given(KIT.messages(kind))
    def check(message: Message) -> None:
        data = message.encode()
        copy = decode_message(data)
        assert copy == message
        assert copy.encode() == data
        assert data[3] == copy.kind

    check()


def test_every_kind_has_a_strategy() -> None:
    seen = {KIT.BODIES[kind] for kind in KINDS}
    assert len(seen) == len(Kind)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_and_nothing_else(data: bytes) -> None:
    refused_or_canonical(data)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(Kind)), st.binary(max_size=120))
def test_arbitrary_bodies_are_refused_or_canonical(kind: Kind, body: bytes) -> None:
    refused_or_canonical(header(kind) + body)


@settings(max_examples=60, deadline=None)
@given(KIT.messages(), KIT.messages(), st.data())
def test_changed_messages_are_refused_or_canonical(message: Any, other: Any, data: Any) -> None:
    first, second = message.encode(), other.encode()
    bit = data.draw(st.integers(0, 8 * len(first) - 1))
    cut = data.draw(st.integers(0, len(first)))
    flipped = bytearray(first)
    flipped[bit // 8] ^= 1 << bit % 8
    for changed in (bytes(flipped), first[:cut] + second[cut:], first[:cut] + first[cut + 1 :]):
        refused_or_canonical(changed)


@settings(max_examples=60, deadline=None)
@given(KIT.messages(), st.data())
def test_no_message_is_the_beginning_of_another(message: Any, data: Any) -> None:
    encoded = message.encode()
    short = encoded[: data.draw(st.integers(0, len(encoded) - 1))]
    for wrong in (short, encoded + data.draw(st.binary(min_size=1, max_size=4))):
        with pytest.raises(Refused, match=r"^malformed$"):
            decode_message(wrong)


@pytest.mark.parametrize(
    ("kind", "body"),
    {
        "batch-of-equal-sizes": (Kind.BATCH, b"\xff" * 4 + b"\xff" * 4),
        "batch-at-the-limit": (Kind.BATCH, (1 << 27).to_bytes(4, "big") + b"\0\0\0\1"),
        "batch-of-lengths": (Kind.BATCH, b"\xff" * 4 + bytes(4)),
        "batch-of-lengths-at-the-limit": (Kind.BATCH, (1 << 27).to_bytes(4, "big") + bytes(4)),
        "submission": (Kind.SUBMISSION, b"\xff" * 4),
        "tally": (Kind.TALLY, b"\xff\xff" + bytes(40)),
        "cells": (Kind.TALLY, bytes(4) + b"\1\0\1" + b"\xff" * 4),
        "call": (Kind.CALL, b"\1\0\xff\xff"),
        "text": (Kind.BURNED, b"\xff\xff"),
    }.items(),
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_a_big_count_reserves_nothing(kind: str, body: tuple[Kind, bytes]) -> None:
    data = header(body[0]) + body[1]
    tracemalloc.start()
    try:
        with pytest.raises(Refused):
            decode_message(data)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


PRIMITIVES: dict[str, tuple[Any, Any, Any]] = {
    "u8": (Writer.u8, Reader.u8, st.integers(0, 2**8 - 1)),
    "u16": (Writer.u16, Reader.u16, st.integers(0, 2**16 - 1)),
    "u32": (Writer.u32, Reader.u32, st.integers(0, 2**32 - 1)),
    "f64": (Writer.f64, Reader.f64, KIT.DOUBLES),
    "flag": (Writer.flag, Reader.flag, st.booleans()),
    "text": (Writer.text, Reader.text, KIT.TEXTS),
    "blob": (Writer.blob, Reader.blob, st.binary(max_size=30)),
    "items": (Writer.items, Reader.items, st.composite(KIT.equal_or_not)()),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_each_primitive_is_read_as_it_was_written(name: str) -> None:
    write, read, values = PRIMITIVES[name]

    @settings(max_examples=50, deadline=None)
    @given(values, st.binary(max_size=16))
    def check(value: Any, anything: bytes) -> None:
        data = write(Writer(), value).finish()
        assert decode(data, read) == value
        try:
            reading = decode(anything, read)
        except Refused:
            return
        assert write(Writer(), reading).finish() == anything

    check()


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (Writer.u8, 256),
        (Writer.u8, -1),
        (Writer.u16, 1 << 16),
        (Writer.u32, 1 << 32),
        (Writer.f64, float("nan")),
        (Writer.f64, float("inf")),
        (Writer.text, "a" * 65_536),
        (Writer.text, "\ud800"),
    ],
)
def test_what_has_no_encoding_is_the_callers_mistake(write: Any, value: Any) -> None:
    with pytest.raises(ParameterError):
        write(Writer(), value)


def test_a_list_too_long_is_the_callers_mistake() -> None:
    with pytest.raises(ParameterError):
        Writer().structures([0] * 65_536, Writer.u8)


def test_the_negative_zero_is_written_as_zero_and_not_read() -> None:
    assert Writer().f64(-0.0).finish() == bytes(8)
    with pytest.raises(Refused):
        decode(b"\x80" + bytes(7), Reader.f64)


@pytest.mark.parametrize(
    "data",
    {
        "one width, spelt out": b"\0\0\0\2" + bytes(4) + b"\0\0\0\1a" + b"\0\0\0\1b",
        "none, with a width": bytes(4) + b"\0\0\0\3",
    }.values(),
)
def test_items_have_one_spelling(data: bytes) -> None:
    with pytest.raises(Refused):
        decode(data, Reader.items)


@pytest.mark.parametrize("there", [b"abc", b"abcde"])
def test_items_that_are_not_all_there_are_refused_at_once(there: bytes) -> None:
    """Before so many are made as the number says, of which nobody has sent the bytes."""
    with pytest.raises(Refused):
        Reader(b"\0\0\0\2" + b"\0\0\0\3" + there).items()


def test_nothing_is_read_beyond_the_end() -> None:
    for reader in (Reader(b"a"), Reader(b"head a", 5)):
        with pytest.raises(Refused):
            reader.raw(2)
        assert reader.raw(1) == b"a"


def test_a_flag_has_two_values() -> None:
    assert [decode(bytes([value]), Reader.flag) for value in (0, 1)] == [False, True]
    for value in (2, 3, 255):
        with pytest.raises(Refused):
            decode(bytes([value]), Reader.flag)


def test_a_structure_may_begin_behind_others() -> None:
    data = b"head" + Writer().items([b"ab", b"cd"]).finish()
    assert decode(data, Reader.items, 4) == [b"ab", b"cd"]
    with pytest.raises(Refused):
        decode(data + b"!", Reader.items, 4)


def test_a_refusal_says_no_more_than_its_reason() -> None:
    call = Message(bytes(32), 1, Call(1, Role.CURATOR, ((0,),))).encode()
    with pytest.raises(Refused, match=r"^malformed$") as caught:
        decode_message(call[:HEADER] + bytes([0]) + call[HEADER + 1 :])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def _mutate(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    match rng.randrange(6):
        case 0:
            changed = bytearray(data)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            return bytes(changed)
        case 1:
            return data[:at]
        case 2:
            return data + rng.randbytes(rng.randrange(1, 9))
        case 3:
            return data[:at] + other[rng.randrange(len(other) + 1) :]
        case 4:
            return data[:at] + rng.randbytes(rng.randrange(1, 5)) + data[at:]
        case _:
            changed = bytearray(data)
            place = rng.randrange(HEADER, len(data)) if len(data) > HEADER else 0
            changed[place] = rng.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
            return bytes(changed)


def _corpus() -> list[bytes]:
    folder = Path(__file__).parents[1] / "vectors"
    import json

    vectors = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("message-*")]
    return sorted(bytes.fromhex(vector["input"]["data"]) for vector in vectors)


@pytest.mark.slow
def test_changed_messages_are_read_alike_by_the_independent_reader() -> None:
    """40,000 changed messages, from a fixed seed; the independent reader agrees on every one."""
    rng, corpus = random.Random(1), _corpus()
    accepted = 0
    for number in range(40_000):
        data = _mutate(rng, rng.choice(corpus) or b"\0", rng.choice(corpus))
        try:
            taken = refused_or_canonical(data)
            theirs = independent_wire.accepts(data)
        except Exception as crash:
            raise AssertionError(f"case {number}, seed 1: {data.hex()}") from crash
        assert taken is theirs, f"case {number}, seed 1: veilmix {taken}: {data.hex()}"
        accepted += taken
    assert 2_000 < accepted < 38_000


def test_a_cell_comes_once() -> None:
    one = Writer().structures(("red",), Writer.text).u32(1).finish()
    assert decode(Writer().u32(1).raw(one).finish(), read_counts) == {("red",): 1}
    with pytest.raises(Refused, match="malformed"):
        decode(Writer().u32(2).raw(one + one).finish(), read_counts)


@pytest.mark.parametrize("columns", [(0, 2, 1), (1, 0, 2), (0, 0), tuple(range(256))], ids=len)
def test_columns_ascend_and_are_not_too_many(columns: tuple[int, ...]) -> None:
    read = CommittedDecision.read
    with pytest.raises(Refused, match="malformed"):
        decode(Writer().structures(columns, Writer.u8).finish(), read)


def test_all_questions_have_the_counts_of_their_totals() -> None:
    """Also where the first has."""
    tally = Tally((3, 3), {}, ({("a",): 3}, {("b",): 3}))
    data = Message(bytes(32), 1, tally).encode()
    assert decode_message(data).body == tally
    with pytest.raises(Refused, match="malformed"):
        decode_message(data.replace(b"b" + bytes([0, 0, 0, 3]), b"b" + bytes([0, 0, 0, 2])))


def test_a_cell_of_nobody_is_no_count() -> None:
    """Or counts would have many spellings, in each of which a covert word could stand."""
    said = Writer().u32(1).structures(("red",), Writer.text).u32(0).finish()
    with pytest.raises(Refused, match="malformed"):
        decode(said, read_counts)
