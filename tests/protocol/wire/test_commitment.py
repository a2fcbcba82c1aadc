"""Commitments: what opens them, how large they are, and which certificates are in order."""

from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.layer import layer_size
from veilmix.crypto.suites import suite_by_code
from veilmix.errors import Refused, RoundBurned
from veilmix.protocol.wire.announcement import UNPROMISED, AnnouncedPolicy
from veilmix.protocol.wire.commitment import (
    MAX_PLAINTEXT,
    MIN_PLAINTEXT,
    commit,
    is_sealed_size,
    may_open,
    open_commitment,
    open_sealed,
    public_decision,
    public_part,
)
from veilmix.protocol.wire.hiding_rules import Redact
from veilmix.protocol.wire.messages import Decision, DecisionCertificate

HELD = KIT.session(policy=AnnouncedPolicy(2, 0.5, "coverage"))
TOLD, SECRET = HELD.announcement, HELD.keys["analyst"].secret
SESSION = TOLD.digest()
DECIDED = Decision((0, 2), DecisionCertificate("coverage", 2, 10, 5, (4.0, 3.0)))
COVERED = replace(DECIDED, hidden=(Redact(0, ("blue",), 7),))


def opened(decision: Decision, told: Any = TOLD, **posted: Any) -> Any:
    """What the analyst finds of a decision; posted: fields of the post that are others."""
    said, _ = commit(told, SESSION, decision, SeededEntropy(1))
    return open_sealed(told, SESSION, replace(said, **posted), SECRET)


def certified(**fields: Any) -> Decision:
    return replace(DECIDED, certificate=replace(DECIDED.certificate, **fields))


def test_the_analyst_finds_what_was_committed_to() -> None:
    said, opening = commit(TOLD, SESSION, DECIDED, SeededEntropy(1))
    assert open_sealed(TOLD, SESSION, said, SECRET) == opening
    assert opening.certificate == DECIDED.certificate
    other, _ = commit(TOLD, SESSION, DECIDED, SeededEntropy(2))
    assert (other.digest, other.sealed) != (said.digest, said.sealed)


def test_nothing_else_opens_a_commitment() -> None:
    """Another digest, blind or session; digests that differ in one byte."""
    said, opening = commit(TOLD, SESSION, DECIDED, SeededEntropy(1))
    assert open_commitment(SESSION, said, opening) == DECIDED
    for at in (0, 31):
        flipped = said.digest[:at] + bytes([said.digest[at] ^ 1]) + said.digest[at + 1 :]
        with pytest.raises(Refused, match="unexpected"):
            open_commitment(SESSION, replace(said, digest=flipped), opening)
    for change in range(20):
        other = replace(opening, blind=bytes([change]) * 32)
        with pytest.raises(Refused, match="unexpected"):
            open_commitment(SESSION, said, other)
        session = bytes([change]) * 32
        with pytest.raises(Refused, match="unexpected"):
            open_commitment(session, said, opening)


@pytest.mark.parametrize(
    ("decision", "posted"),
    [
        *((certified(k=k), {}) for k in (1, 3)),
        *((DECIDED, {"n": n}) for n in (9, 11)),
        (DECIDED, {"delta": 0.1}),
        (replace(COVERED, certificate=replace(DECIDED.certificate, slack=0.1)), {"delta": None}),
    ],
    ids=["smaller k", "larger k", "fewer people", "more people", "a delta", "no delta"],
)
def test_a_certificate_is_about_what_was_posted_and_announced(
    decision: Decision, posted: dict[str, Any]
) -> None:
    with pytest.raises(RoundBurned, match="posted and announced were"):
        opened(decision, **posted)


@pytest.mark.parametrize("rule", UNPROMISED)
def test_a_certificate_keeps_what_was_announced(rule: str) -> None:
    assert opened(certified(people=5))
    with pytest.raises(RoundBurned, match=r"lets 60 % of the people .* at most 50 %"):
        opened(certified(people=6))
    told = replace(TOLD, policy=replace(TOLD.policy, rule=rule))
    assert opened(certified(people=6), told)
    named_alike = replace(TOLD, policy=replace(TOLD.policy, rule=f"{rule[:-1]}x"))
    with pytest.raises(RoundBurned, match="at most 50 %"):
        opened(certified(people=6), named_alike)


@pytest.mark.parametrize("suite", ["sealedbox", "hpke-x25519", "hpke-pq", "textbook"])
@pytest.mark.parametrize("proof", [0, 3900, 5000, 20000])
def test_a_post_has_one_size_for_all_short_certificates(suite: str, proof: int) -> None:
    told = KIT.session(name=suite, policy=TOLD.policy).announcement
    sizes = set()
    for more in (0, 9):
        decision = certified(proof=b"p" * (proof + more), thresholds=(1.0,) * more)
        said, _ = commit(told, SESSION, decision, SeededEntropy(1))
        assert is_sealed_size(told, len(said.sealed))
        assert not is_sealed_size(told, len(said.sealed) - 1)
        assert not is_sealed_size(told, len(said.sealed) + 1)
        sizes.add(len(said.sealed))
    assert len(sizes) == 1
    assert not is_sealed_size(
        told, layer_size(suite_by_code(told.suite, lesson=True), MAX_PLAINTEXT) + 1
    )
    overhead = min(sizes) % MIN_PLAINTEXT
    assert 0 < overhead < 1200


@pytest.mark.parametrize(("share", "n", "most"), [(0.1, 30, 3), (0.3, 10, 3), (0.29, 100, 29)])
def test_the_public_promise_is_the_announced_one(share: float, n: int, most: int) -> None:
    decision = certified(n=n, people=1)
    policy = AnnouncedPolicy(2, share, "coverage")
    assert public_part(policy, decision).certificate == DecisionCertificate("committed", 2, n, most)
    assert most / n <= share < (most + 1) / n
    said, _ = commit(TOLD, SESSION, decision, SeededEntropy(1))
    assert public_decision(policy, said) == public_part(policy, decision)
    assert public_part(AnnouncedPolicy(2, share, "all"), decision).certificate.people == n


def test_what_is_public_does_not_depend_on_the_certificate() -> None:
    one, other = certified(people=1), certified(people=4, thresholds=(), proof=b"prices")
    assert public_part(TOLD.policy, one) == public_part(TOLD.policy, other)


@pytest.mark.parametrize(
    ("totals", "may"), [((3, 3, 3), True), ((3, 3, 2), False), ((3, 4), False)]
)
def test_a_certificate_is_opened_of_the_same_people_alone(
    totals: tuple[int, ...], may: bool
) -> None:
    assert may_open(AnnouncedPolicy(2, 0.5), (), totals) is may
