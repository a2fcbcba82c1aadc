"""A key that is a sum: nothing opens before all shares are shown, and nobody owns another's."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.joint_key import (
    OVERHEAD,
    KeyShare,
    check_share,
    check_shown,
    joint,
    make_share,
    open_jointly,
    seal_jointly,
    total,
)
from veilmix.crypto.ristretto import ORDER, base_times, difference, plus, times
from veilmix.errors import Refused

HERE, THERE = b"here", b"there"


def shares(many: int) -> list[KeyShare]:
    return [make_share(SeededEntropy(i), HERE) for i in range(many)]


@given(st.integers(1, 4), st.binary(max_size=80))
def test_it_opens_with_all_shares_and_with_no_fewer(many: int, plain: bytes) -> None:
    all_ = shares(many)
    key, secrets = joint([share.public for share in all_]), [share.secret for share in all_]
    sealed = seal_jointly(key, plain, HERE, OSEntropy())
    assert len(sealed) == len(plain) + OVERHEAD
    assert open_jointly(total(secrets), key, sealed, HERE) == plain
    for left in range(many):
        with pytest.raises(Refused):
            open_jointly(total(secrets[:left] + secrets[left + 1 :]), key, sealed, HERE)


@given(st.binary(max_size=120))
def test_what_is_not_sealed_to_it_is_refused(data: bytes) -> None:
    (share,) = shares(1)
    with pytest.raises(Refused):
        open_jointly(share.secret, share.public, data, HERE)


def test_it_is_bound_to_its_context_and_every_bit_counts() -> None:
    (share,) = shares(1)
    sealed = seal_jointly(share.public, b"said", HERE, OSEntropy())
    with pytest.raises(Refused):
        open_jointly(share.secret, share.public, sealed, THERE)
    for bit in range(8 * len(sealed)):
        turned = bytearray(sealed)
        turned[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Refused):
            open_jointly(share.secret, share.public, bytes(turned), HERE)


def test_who_comes_last_cannot_own_the_sum() -> None:
    """Its share would be Y less all others: of that it has no secret, and no proof."""
    others = shares(3)
    mine = make_share(OSEntropy(), HERE)
    less = mine.public
    for other in others:
        less = plus(less, times(difference(bytes(32), b"\1" + bytes(31)), other.public))
    assert joint([*(other.public for other in others), less]) == mine.public
    with pytest.raises(Refused):
        check_share(less, mine.proof, HERE)


@pytest.mark.parametrize(
    ("public", "proof", "where"),
    [
        (0, 1, HERE),  # another's proof
        (0, 0, THERE),
        (0, None, HERE),
        (None, 0, HERE),
    ],
)
def test_a_share_without_its_proof_is_refused(
    public: int | None, proof: int | None, where: bytes
) -> None:
    all_ = shares(2)
    given_ = bytes(32) if public is None else all_[public].public
    shown = bytes(64) if proof is None else all_[proof].proof
    with pytest.raises(Refused):
        check_share(given_, shown, where)
    check_share(all_[0].public, all_[0].proof, HERE)


@pytest.mark.parametrize("data", [b"", bytes(31), bytes(33), ORDER.to_bytes(32, "little")])
def test_a_secret_is_that_of_its_share(data: bytes) -> None:
    share, other = shares(2)
    check_shown(share.secret, share.public)
    assert base_times(share.secret) == share.public
    for wrong in (data, other.secret):
        with pytest.raises(Refused):
            check_shown(wrong, share.public)
    with pytest.raises(Refused):
        check_share(share.public, share.proof[:32] + data[:32], HERE)


def test_a_share_keeps_its_secret() -> None:
    (share,) = shares(1)
    assert share.secret.hex() not in repr(share)
    for copies in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            copies(share)
