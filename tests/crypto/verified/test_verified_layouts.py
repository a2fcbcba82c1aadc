"""Records have one spelling: read back exactly, and anything else is refused by one error."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
import verified_kit as kit
from sample_kit import sampled
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.ristretto import ORDER
from veilmix.crypto.verified.ballots import decode_ballot, make_ballot
from veilmix.crypto.verified.keys import OwnedKey, decode_key
from veilmix.crypto.verified.rows import CiphertextRows
from veilmix.crypto.verified.shares import DecryptionShares, make_shares
from veilmix.crypto.verified.shuffle import ShuffleProof
from veilmix.crypto.verified.submit_once import ReaderKeys, decode_once, make_once
from veilmix.errors import ParameterError, Reason, Refused

GROUP, READER = kit.GROUP, kit.reader()
COUNT, WIDTH = 3, 2
Record = tuple[bytes, Callable[[bytes], bytes]]  # the bytes, and reading and writing them again


@cache
def records() -> dict[str, Record]:
    _, mixed, proof = kit.shuffled(COUNT, WIDTH)
    shares = make_shares(kit.HOP, READER, mixed.rows.firsts, kit.entropy("shares"))
    keys = ReaderKeys(READER.public, kit.GENERATOR)
    own = kit.entropy("records")
    return {
        "ballot": (
            make_ballot(kit.HOP, READER.public, kit.GENERATOR, own).ballot.encode(GROUP),
            lambda data: decode_ballot(GROUP, data).encode(GROUP),
        ),
        "once": (
            make_once(kit.HOP, keys, kit.GENERATOR, own).ballot.encode(GROUP),
            lambda data: decode_once(GROUP, data).encode(GROUP),
        ),
        "key": (
            OwnedKey(READER.public, READER.proof).encode(),
            lambda data: decode_key(kit.HOP, data).encode(),
        ),
        "rows": (
            mixed.rows.encode(),
            lambda data: CiphertextRows.decode(GROUP, data).encode(),
        ),
        "shuffle": (
            proof.encode(GROUP),
            lambda data: ShuffleProof.decode(GROUP, data).encode(GROUP),
        ),
        "shares": (
            shares.encode(GROUP),
            lambda data: DecryptionShares.decode(GROUP, data).encode(GROUP),
        ),
    }


SIZES = {
    "ballot": 128,
    "once": 160,
    "key": 96,
    "rows": 5 + 64 * COUNT * WIDTH,
    "shuffle": 5 + 160 * COUNT + 96 * 2 + 96 * WIDTH,
    "shares": 4 + 32 * COUNT * WIDTH + 64,
}
# Where a record begins to be 32-byte fields, and the first of them that is a scalar.
FIELDS = {
    "ballot": (0, 2),
    "once": (0, 3),
    "key": (0, 1),
    "rows": (5, 2 * COUNT * WIDTH),
    "shuffle": (5, 3 * COUNT + 3 + 2 * WIDTH),
    "shares": (4, COUNT * WIDTH),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_record_is_read_back_and_has_the_documented_size(name: str) -> None:
    data, again = records()[name]
    assert len(data) == SIZES[name]
    assert again(data) == data


# Records of no rows, or of rows of nothing, whose lengths fit.
EMPTY = {
    "rows": [bytes(4) + b"\1", (1).to_bytes(4, "big") + b"\0"],
    "shares": [bytes(4) + bytes(64)],
    "shuffle": [
        bytes(4) + b"\1" + kit.GENERATOR * 5 + bytes(4 * 32),
        (1).to_bytes(4, "big") + b"\0" + kit.GENERATOR * 6 + bytes(5 * 32),
    ],
}


def faults(name: str) -> Iterator[bytes]:
    """Yield the record with each field out of range, and each wrong length."""
    data, _ = records()[name]
    first, scalars = FIELDS[name]
    yield from (b"", data[:-1], data[:-32], data + b"\0", data + bytes(32), data[1:])
    for at in range(first, len(data), 32):
        if at < first + 32 * scalars:
            wrong = [bytes(32), b"\1" + bytes(31), b"\xff" * 32]
        else:
            wrong = [ORDER.to_bytes(32, "little"), b"\xff" * 32]
        yield from (data[:at] + field + data[at + 32 :] for field in wrong)
    yield from EMPTY.get(name, [])
    if first:
        yield bytes(4) + data[4:]
        yield (COUNT + 1).to_bytes(4, "big") + data[4:]
        yield b"\xff" * 4 + data[4:]
    if first == 5:
        yield data[:4] + b"\0" + data[5:]
        yield data[:4] + b"\xff" + data[5:]


@pytest.mark.parametrize("name", SIZES)
def test_every_field_out_of_range_and_every_wrong_length_is_refused(name: str) -> None:
    _, again = records()[name]
    for data in faults(name):
        with pytest.raises(Refused) as refusal:
            again(data)
        assert refusal.value.reason is Reason.MALFORMED


def changed(data: bytes, own: SeededEntropy) -> bytes:
    """Return a record with up to three changed bytes, in half of the cases cut or made longer."""
    candidate = bytearray(data)
    drawn = own.random(16)
    for at in range(0, 3 * (drawn[0] % 4), 3):
        place = int.from_bytes(drawn[at + 1 : at + 3], "big") % len(data)
        candidate[place] ^= drawn[at + 3]
    if drawn[10] % 2:
        return bytes(candidate)
    cut = drawn[11] % 4
    return bytes(candidate)[: len(data) - cut] + drawn[12 : 12 + drawn[13] % 3]


@pytest.mark.parametrize("count", sampled([300, 1_000_000], 0))
@pytest.mark.parametrize("name", SIZES)
def test_changed_bytes_are_refused_or_are_a_record_of_their_own(name: str, count: int) -> None:
    """One spelling each; and no other exception, whatever the bytes are."""
    data, again = records()[name]
    own, refused = kit.entropy(f"changed {name}"), 0
    for _ in range(count // len(SIZES)):
        candidate = changed(data, own)
        try:
            assert again(candidate) == candidate
        except Refused:
            refused += 1
    assert refused > count // len(SIZES) // 4


def test_rows_without_a_shape_are_a_mistake() -> None:
    column = (kit.GENERATOR,)
    for columns in ((), (column,), (column, column * 2), ((), ()), (column,) * 512):
        with pytest.raises(ParameterError, match=r"columns|rows"):
            CiphertextRows(columns)
