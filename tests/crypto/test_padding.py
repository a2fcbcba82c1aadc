"""Padding: one padded form for each data and size, and strict reading."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.padding import pad, unpad
from veilmix.errors import ParameterError, Reason, Refused


@given(data=st.binary(max_size=100), spare=st.integers(1, 50))
def test_padding_comes_off_again(data: bytes, spare: int) -> None:
    padded = pad(data, len(data) + spare)
    assert len(padded) == len(data) + spare
    assert unpad(padded) == data


@given(
    padded=st.one_of(st.binary(max_size=20), st.text("\x00\x80a").map(lambda t: t.encode("latin1")))
)
def test_arbitrary_bytes_are_refused_or_are_a_padded_form(padded: bytes) -> None:
    if padded.rstrip(b"\x00").endswith(b"\x80"):
        assert pad(unpad(padded), len(padded)) == padded
        return
    with pytest.raises(Refused) as caught:
        unpad(padded)
    assert caught.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("size", [0, 1, 5])
def test_data_that_leaves_no_room_for_the_mark(size: int) -> None:
    with pytest.raises(ParameterError, match=f"data: got 5 bytes, accepted: at most {size - 1}"):
        pad(b"12345", size)


def test_other_types_are_parameter_errors() -> None:
    with pytest.raises(ParameterError, match="data: got str"):
        pad("data", 9)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="padded: got bytearray"):
        unpad(bytearray(b"\x80"))  # type: ignore[arg-type]
