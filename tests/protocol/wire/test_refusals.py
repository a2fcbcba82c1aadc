"""Refused messages by reason, as bytes: each reason once, in order, none of no message."""

import pytest
from veilmix.errors import Reason, Refused
from veilmix.protocol.wire.refusals import read_refused, write_refused
from veilmix.protocol.wire.wire import Reader, Writer

TOO_LARGE = len(Reason)


def encoded(pairs: list[tuple[int, int]]) -> bytes:
    out = Writer()
    out.structures(pairs, lambda w, pair: w.u8(pair[0]).u32(pair[1]))
    return out.finish()


def test_refusals_are_read_as_they_are_written() -> None:
    refused = {Reason.MALFORMED: 3, Reason.UNREGISTERED: 1}
    out = Writer()
    write_refused(out, refused)
    assert read_refused(Reader(out.finish())) == refused


@pytest.mark.parametrize(
    "pairs",
    [
        *([(0, 0)], [(0, 0), (1, 5)], [(0, 5), (1, 0)]),  # of no message
        *([(1, 5), (0, 5)], [(1, 5), (1, 5)]),  # not in order, twice
        *([(TOO_LARGE, 5)], [(0, 5), (TOO_LARGE, 5)]),  # no reason
    ],
)
def test_other_pairs_are_refused(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(Refused):
        read_refused(Reader(encoded(pairs)))
