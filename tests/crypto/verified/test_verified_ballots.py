"""A ballot counts for its own sender, question, session and key; a copy of any kind is refused."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import verified_kit as kit
from veilmix.crypto.verified.ballots import (
    EncryptedBallot,
    check_ballot,
    check_ballots,
    decode_ballot,
    make_ballot,
)
from veilmix.crypto.verified.proofs import SecretProof
from veilmix.crypto.verified.rows import ballot_rows
from veilmix.crypto.verified.shares import opened_elements, partial_decryptions
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.errors import VerificationError

GROUP, KEY = kit.GROUP, kit.reader().public
PERSON = b"person 0"
((_, GOOD),) = kit.ballots([b"blood type A"], KEY)


def test_honest_ballots_are_accepted_and_hold_their_values() -> None:
    values = [b"yes", b"no", b""]
    ballots = kit.ballots(values, KEY)
    check_ballots(kit.HOP, KEY, ballots)
    rows = ballot_rows([[(ballot.first, ballot.second)] for _, ballot in ballots])
    shares = partial_decryptions(GROUP, kit.reader(), rows.firsts)
    opened = opened_elements(GROUP, rows.seconds, [shares])
    assert list(kit.VALUES.decode_all(opened)) == values


def test_the_salt_opens_the_ballot_and_is_in_no_repr() -> None:
    made = make_ballot(kit.HOP.at(PERSON), KEY, kit.GENERATOR, kit.entropy("salt"))
    assert GROUP.base_multiples([made.salt]) == [made.ballot.first]
    assert kit.add(kit.times(made.salt, KEY)) == made.ballot.second
    assert str(made.salt) not in repr(made)


def test_a_person_with_a_kept_entropy_uses_no_salt_and_no_nonce_twice() -> None:
    """Two values under one salt would show their difference, under one nonce the salt."""
    made = [
        make_ballot(kit.HOP.at(PERSON), KEY, kit.VALUES.encode(value), kit.entropy("kept"))
        for value in (b"yes", b"no", b"yes")
    ]
    assert made[0] == made[2]
    assert made[0].salt != made[1].salt
    nonces = {
        (one.ballot.proof.response - one.ballot.proof.challenge * one.salt) % GROUP.order
        for one in made
    }
    assert len(nonces) == 2
    assert len(nonces | {one.salt for one in made}) == 4


def rerandomized(ballot: EncryptedBallot) -> EncryptedBallot:
    proof = SecretProof(
        ballot.proof.challenge, (ballot.proof.response + ballot.proof.challenge * 7) % GROUP.order
    )
    second = kit.add(ballot.second, kit.times(7, KEY))
    return EncryptedBallot(kit.add(ballot.first, kit.times(7, kit.GENERATOR)), second, proof)


CHANGED: dict[str, Callable[[EncryptedBallot], EncryptedBallot]] = {
    "re-randomized": rerandomized,
    "A + G": lambda good: replace(good, first=kit.add(good.first)),
    "B + G": lambda good: replace(good, second=kit.add(good.second)),
    "challenge": lambda good: replace(
        good, proof=replace(good.proof, challenge=(good.proof.challenge + 1) % GROUP.order)
    ),
    "response": lambda good: replace(
        good, proof=replace(good.proof, response=(good.proof.response + 1) % GROUP.order)
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_ballot_is_refused(name: str) -> None:
    check_ballot(kit.HOP.at(PERSON), KEY, GOOD)
    with pytest.raises(VerificationError, match="ballot of person 0"):
        check_ballot(kit.HOP.at(PERSON), KEY, CHANGED[name](GOOD))


def test_a_copy_under_another_name_is_refused() -> None:
    for ballot in (GOOD, rerandomized(GOOD)):
        with pytest.raises(VerificationError, match="ballot of person 9"):
            check_ballots(kit.HOP, KEY, [(PERSON, GOOD), (b"person 9", ballot)])


@pytest.mark.parametrize("context", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_a_ballot_of_another_place_is_refused(context: ProofContext) -> None:
    own = context if context.place == b"hop 1" else context.at(PERSON)
    with pytest.raises(VerificationError):
        check_ballot(own, KEY, GOOD)


def test_a_ballot_for_another_key_is_refused() -> None:
    with pytest.raises(VerificationError):
        check_ballot(kit.HOP.at(PERSON), kit.add(KEY), GOOD)


@pytest.mark.parametrize("place", range(3))
def test_a_person_has_one_ballot(place: int) -> None:
    ballots = kit.ballots([b"yes", b"no", b"yes"], KEY)
    with pytest.raises(VerificationError, match="another ballot"):
        check_ballots(kit.HOP, KEY, [*ballots, ballots[place]])


def test_a_record_is_128_bytes_and_read_back() -> None:
    data = GOOD.encode(GROUP)
    assert len(data) == 128
    assert decode_ballot(GROUP, data) == GOOD
