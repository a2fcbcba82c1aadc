"""A value has one element; an element that carries none is malformed."""

import pytest
import verified_kit as kit
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.verified.values import ValueElements
from veilmix.errors import ParameterError, Refused

GROUP = kit.GROUP
LONG = [b"a" * 30, b"b" * 200]
ANNOUNCED = ValueElements(GROUP, [b"yes", *LONG])


@settings(max_examples=15)
@given(st.binary(max_size=29))
def test_a_value_of_up_to_29_bytes_is_read_back(value: bytes) -> None:
    for coder in (kit.VALUES, ANNOUNCED):
        element = coder.encode(value)
        assert GROUP.decode(element) == element
        assert coder.decode(element) == value


@pytest.mark.parametrize("value", LONG, ids=len)
def test_a_longer_value_is_carried_by_its_place_in_the_domain(value: bytes) -> None:
    element = ANNOUNCED.encode(value)
    assert ANNOUNCED.decode(element) == value
    with pytest.raises(Refused, match="no value"):
        kit.VALUES.decode(element)
    with pytest.raises(ParameterError, match="not in the announced domain"):
        kit.VALUES.encode(value)


def test_a_longer_value_outside_the_domain_has_no_element() -> None:
    with pytest.raises(ParameterError, match="30 bytes, not in the announced domain"):
        ANNOUNCED.encode(b"c" * 30)


def carrier(payload: bytes, *, least: bool = True) -> bytes:
    """Return an element with a payload, with the least prefix or the one after it."""
    first = GROUP.embed(payload.ljust(30, b"\0"))
    if least:
        return first
    for prefix in range(first[0] + 2, 256, 2):
        try:
            return GROUP.decode(bytes((prefix,)) + first[1:])
        except Refused:
            continue
    raise AssertionError


def tail() -> bytes:
    """Return the element of `yes` with another last byte of the payload, and no other change."""
    right = ANNOUNCED.encode(b"yes")
    for last in range(1, 256):
        changed = GROUP.embed(right[1:30] + bytes((last,)))
        if changed[:30] == right[:30]:
            return changed
    raise AssertionError


MALFORMED = {
    "random": kit.GENERATOR,
    "tagged": kit.add(ANNOUNCED.encode(b"yes")),
    "length 30": carrier(b"\x1e" + b"a" * 29),
    "bytes behind the value": carrier(b"\x03yes!"),
    "a byte at the end": tail(),
    "another prefix": carrier(b"\x03yes", least=False),
    "index outside": carrier(b"\xff\0\0\0\x03"),
    "index of a short value": carrier(b"\xff\0\0\0\0"),
    "bytes behind the index": carrier(b"\xff\0\0\0\x01\x01"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_an_element_that_carries_no_value_is_malformed(name: str) -> None:
    with pytest.raises(Refused, match="carries no value"):
        ANNOUNCED.decode(MALFORMED[name])


def test_a_list_is_read_element_by_element() -> None:
    elements = [ANNOUNCED.encode(b"yes"), kit.GENERATOR, ANNOUNCED.encode(LONG[1])] * 2
    assert list(ANNOUNCED.decode_all(elements)) == [b"yes", None, LONG[1]] * 2


def test_a_domain_larger_than_its_index_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"4294967296 values"):
        ValueElements(GROUP, range(1 << 32))  # type: ignore[arg-type]
