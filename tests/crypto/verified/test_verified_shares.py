"""Decryption shares open a list if all are of their keyholder's key; others are refused."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import verified_kit as kit
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.shares import check_shares, make_shares, opened_elements, share_weights
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.errors import VerificationError

GROUP, READER = kit.GROUP, kit.reader()
ROWS = kit.rows(4)
PLACE = kit.HOP.at(b"reader")
GOOD = make_shares(PLACE, READER, ROWS.firsts, kit.entropy("shares"))
OTHER = make_key(PLACE, kit.entropy("another key"))
Elements = tuple[bytes, ...]


def test_honest_shares_are_accepted_and_open_the_list() -> None:
    check_shares(PLACE, READER.public, ROWS.firsts, GOOD)
    opened = opened_elements(GROUP, ROWS.seconds, [GOOD.elements])
    assert list(kit.VALUES.decode_all(opened)) == [b"0", b"1", b"2", b"3"]
    again = make_shares(PLACE, READER, ROWS.firsts, kit.entropy("shares"))
    assert again == GOOD


def test_without_one_keyholder_nothing_opens() -> None:
    assert set(kit.VALUES.decode_all(opened_elements(GROUP, ROWS.seconds, []))) == {None}


CHANGED: dict[str, Callable[[Elements], Elements]] = {
    "two exchanged": lambda D: (D[0], D[2], D[1], D[3]),
    "D + G here, D - G there": lambda D: (
        kit.add(D[0]),
        kit.add(D[1], kit.times(-1, kit.GENERATOR)),
        *D[2:],
    ),
    "the last of another key": lambda D: (
        *D[:3],
        kit.times(GROUP.decode_scalar(OTHER.secret), ROWS.firsts[3]),
    ),
    "all times 2": lambda D: tuple(GROUP.sums(D, D)),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changed_shares_are_refused(name: str) -> None:
    changed = replace(GOOD, elements=CHANGED[name](GOOD.elements))
    with pytest.raises(VerificationError, match="shares of reader: the proof does not hold"):
        check_shares(PLACE, READER.public, ROWS.firsts, changed)


@pytest.mark.parametrize("name", ["challenge", "response"])
def test_shares_with_a_changed_proof_are_refused(name: str) -> None:
    number = (getattr(GOOD.proof, name) + 1) % GROUP.order
    changed = replace(GOOD, proof=replace(GOOD.proof, **{name: number}))
    with pytest.raises(VerificationError):
        check_shares(PLACE, READER.public, ROWS.firsts, changed)


def test_shares_of_another_key_are_refused() -> None:
    shares = make_shares(PLACE, OTHER, ROWS.firsts, kit.entropy("shares"))
    check_shares(PLACE, OTHER.public, ROWS.firsts, shares)
    with pytest.raises(VerificationError):
        check_shares(PLACE, READER.public, ROWS.firsts, shares)


@pytest.mark.parametrize("context", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_shares_of_another_place_are_refused(context: ProofContext) -> None:
    own = context if context.place == b"hop 1" else context.at(b"reader")
    with pytest.raises(VerificationError):
        check_shares(own, READER.public, ROWS.firsts, GOOD)


def test_shares_of_another_list_are_refused() -> None:
    firsts = kit.rows(4, label="another list").firsts
    with pytest.raises(VerificationError):
        check_shares(PLACE, READER.public, firsts, GOOD)


@pytest.mark.parametrize("length", [3, 5])
def test_another_number_of_shares_is_refused(length: int) -> None:
    firsts = [*ROWS.firsts, kit.GENERATOR][:length]
    with pytest.raises(VerificationError, match=f"4; {length} are due"):
        check_shares(PLACE, READER.public, firsts, GOOD)


def test_weights_follow_from_the_whole_statement() -> None:
    """A keyholder that knew the weights before its shares could make wrong ones cancel out."""
    other = kit.rows(4, label="another list").firsts
    statements = [
        (READER.public, ROWS.firsts, GOOD.elements),
        (OTHER.public, ROWS.firsts, GOOD.elements),
        (READER.public, other, GOOD.elements),
        (READER.public, ROWS.firsts, other),
    ]
    weights = {tuple(share_weights(PLACE, *each)[1]) for each in statements}
    assert len(weights) == 4
