"""Any k shares give the secret, and a share that is not on the polynomial is told from those."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.crypto.ristretto import ELEMENT, IDENTITY, ORDER
from veilmix.crypto.verifiable_sharing import (
    SHARE,
    SharePoint,
    commitments,
    decode_share,
    is_right,
    opens,
    polynomial,
    secret_of,
    share_at,
)
from veilmix.errors import ParameterError, Reason, Refused

SEED = b"a row that several people share"


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.lists(st.integers(1, ORDER - 1), min_size=9, unique=True))
def test_any_k_shares_give_the_secret_and_fewer_another(k: int, places: list[int]) -> None:
    coefficients = polynomial(SEED, k)
    shares = [share_at(coefficients, x) for x in places]
    assert secret_of(shares[:k]) == secret_of(shares[-k:]) == coefficients[0]
    assert k == 1 or secret_of(shares[: k - 1]) != coefficients[0]


def test_the_polynomial_follows_from_the_seed_and_nothing_else() -> None:
    assert polynomial(SEED, 5) == polynomial(SEED, 5)
    assert polynomial(SEED, 5)[:3] == polynomial(SEED, 3)
    assert not set(polynomial(SEED, 5)) & set(polynomial(SEED + b"!", 5))


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("x", [1, 2, 2**250 + 7, ORDER - 1])
def test_a_share_is_checked_against_the_commitments(k: int, x: int) -> None:
    coefficients = polynomial(SEED, k)
    committed, share = commitments(coefficients), share_at(coefficients, x)
    assert is_right(share, committed)
    assert not is_right(SharePoint(x, (share.y + 1) % ORDER), committed)
    assert k == 1 or not is_right(SharePoint(x % (ORDER - 1) + 1, share.y), committed)
    assert opens(coefficients[0], committed)
    assert not opens(coefficients[0] ^ 1, committed)


def test_a_share_that_is_0_can_be_checked() -> None:
    committed = commitments([5, ORDER - 5])
    assert is_right(SharePoint(1, 0), committed)
    assert not is_right(SharePoint(2, 0), committed)


@pytest.mark.parametrize(
    "data",
    [
        bytes(SHARE),
        b"\1" + bytes(SHARE),
        b"\1" + bytes(SHARE - 2),
        ORDER.to_bytes(32, "little") + bytes(32),
        b"\1" + bytes(31) + ORDER.to_bytes(32, "little"),
    ],
)
def test_what_is_no_share_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        decode_share(data)
    assert refusal.value.reason is Reason.MALFORMED


def test_a_share_has_one_spelling() -> None:
    share = share_at(polynomial(SEED, 3), 12345)
    assert decode_share(share.encode()) == share


@pytest.mark.parametrize("committed", [b"\xff" * ELEMENT, IDENTITY, b"\1" * (ELEMENT - 1)])
def test_a_commitment_that_is_no_element_is_refused(committed: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        is_right(SharePoint(1, 1), committed)
    assert refusal.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("needed", [0, -1, 256])
def test_so_many_shares_cannot_be_asked_for(needed: int) -> None:
    with pytest.raises(ParameterError, match="needed: found"):
        polynomial(SEED, needed)
