"""A ballot for two readers holds one value: another value for the analyst is refused."""

from dataclasses import replace

import pytest
import verified_kit as kit
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.proofs import prove_equality
from veilmix.crypto.verified.submit_once import (
    ReaderKeys,
    check_once,
    decode_once,
    make_once,
)
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.errors import VerificationError

GROUP = kit.GROUP
PERSON = kit.HOP.at(b"person 0")
READERS = [make_key(kit.HOP.at(name), kit.entropy(repr(name))) for name in (b"curator", b"analyst")]
KEYS = ReaderKeys(*(reader.public for reader in READERS))
MADE = make_once(PERSON, KEYS, kit.VALUES.encode(b"yes"), kit.entropy("once"))
GOOD = MADE.ballot


def test_both_readers_read_the_value() -> None:
    check_once(PERSON, KEYS, GOOD)
    for reader, second in zip(READERS, (GOOD.curator_second, GOOD.analyst_second), strict=True):
        share = kit.times(GROUP.decode_scalar(reader.secret), GOOD.first)
        assert kit.VALUES.decode(GROUP.differences([second], [share])[0]) == b"yes"
    assert str(MADE.salt) not in repr(MADE)


def test_a_kept_entropy_gives_each_value_another_salt() -> None:
    made = [
        make_once(PERSON, KEYS, kit.VALUES.encode(value), kit.entropy("once"))
        for value in (b"yes", b"no")
    ]
    assert made[0] == MADE
    assert made[0].salt != made[1].salt


def test_another_value_for_the_analyst_is_refused() -> None:
    """Also if the proof is made for it, as well as can be."""
    changed = replace(GOOD, analyst_second=kit.add(GOOD.analyst_second))
    transcript = PERSON.transcript(b"once")
    seconds = changed.curator_second, changed.analyst_second
    transcript.absorb(KEYS.curator, KEYS.analyst, changed.first, *seconds)
    (base,) = GROUP.differences([KEYS.curator], [KEYS.analyst])
    proof = prove_equality(GROUP, transcript, MADE.salt, base, kit.entropy("cheat"))
    with pytest.raises(VerificationError, match="one value for both readers"):
        check_once(PERSON, KEYS, replace(changed, proof=proof))


@pytest.mark.parametrize("name", ["challenge", "response"])
def test_a_changed_proof_is_refused(name: str) -> None:
    number = (getattr(GOOD.proof, name) + 1) % GROUP.order
    with pytest.raises(VerificationError):
        check_once(PERSON, KEYS, replace(GOOD, proof=replace(GOOD.proof, **{name: number})))


@pytest.mark.parametrize("name", ["first", "curator_second", "analyst_second"])
def test_a_changed_element_is_refused(name: str) -> None:
    with pytest.raises(VerificationError):
        check_once(PERSON, KEYS, replace(GOOD, **{name: kit.add(getattr(GOOD, name))}))


def test_a_ballot_shifted_for_both_readers_is_refused() -> None:
    """The difference of both halves stays, and so does that of both keys."""
    shifted = replace(
        GOOD,
        curator_second=kit.add(GOOD.curator_second),
        analyst_second=kit.add(GOOD.analyst_second),
    )
    with pytest.raises(VerificationError):
        check_once(PERSON, KEYS, shifted)
    with pytest.raises(VerificationError):
        check_once(PERSON, ReaderKeys(kit.add(KEYS.curator), kit.add(KEYS.analyst)), GOOD)


@pytest.mark.parametrize("context", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_a_ballot_of_another_place_is_refused(context: ProofContext) -> None:
    own = context if context.place == b"hop 1" else context.at(b"person 0")
    with pytest.raises(VerificationError):
        check_once(own, KEYS, GOOD)


def test_readers_of_one_key_are_refused() -> None:
    """With one key for both, the proof of equality would say nothing."""
    with pytest.raises(VerificationError, match="the same joint key"):
        check_once(PERSON, ReaderKeys(KEYS.curator, KEYS.curator), GOOD)


def test_a_record_is_160_bytes_and_read_back() -> None:
    data = GOOD.encode(GROUP)
    assert len(data) == 160
    assert decode_once(GROUP, data) == GOOD
