"""What is promised of those who came, where a rule can prove nothing itself."""

from dataclasses import replace
from typing import Any

import pytest
from veilmix.errors import RoundBurned
from veilmix.protocol.board.promise import Prover, check_promise, promised_share, prove
from veilmix.protocol.board.strategies import strategy_of
from veilmix.protocol.wire.announcement import UNPROMISED, AnnouncedPolicy
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.protocol.wire.schema import Feature, Schema

SCHEMA = Schema((Feature("a", ("x", "y")),))


def decided(people: int, n: int = 20) -> Decision:
    return Decision((0,), DecisionCertificate("coverage", 5, n, people))


def proved(decision: Decision, now: int) -> DecisionCertificate:
    plain = strategy_of(lambda *_: decision)
    assert not isinstance(plain, Prover)
    return prove(plain, SCHEMA, (), decision, {("x",): now})


# promised to 20 people, who came, of whom at most so many are exposed, within 10 %
CASES = [
    (2, 20, 2, True),
    (2, 19, 6, False),
    (2, 21, 3, False),
    (0, 22, 2, True),
    (0, 19, 4, False),
]


@pytest.mark.parametrize("rule", UNPROMISED)
def test_a_rule_that_promises_nothing_is_known_by_its_whole_name(rule: str) -> None:
    decision = decided(2)
    later = replace(decision.certificate, people=20)
    check_promise(AnnouncedPolicy(5, 0.1, rule), decision, later)
    with pytest.raises(RoundBurned, match="cannot be proved"):
        check_promise(AnnouncedPolicy(5, 0.1, f"{rule[:-1]}x"), decision, later)


@pytest.mark.parametrize(("people", "now", "worst", "holds"), CASES)
def test_a_bare_rule_is_carried_over_by_head_counts(
    people: int, now: int, worst: int, holds: bool
) -> None:
    decision = decided(people)
    certificate = proved(decision, now)
    assert (certificate.people, certificate.n) == (worst, now)
    assert promised_share(decision, certificate) == max(people / 20, worst / now)
    if holds:
        check_promise(AnnouncedPolicy(5, 0.1), decision, certificate)
    else:
        with pytest.raises(RoundBurned, match=f"{now} people came where .* made for 20"):
            check_promise(AnnouncedPolicy(5, 0.1), decision, certificate)
    for rule in UNPROMISED:
        check_promise(AnnouncedPolicy(5, 0.1, rule), decision, certificate)


def test_a_strategy_that_proves_is_asked_with_all_that_it_needs() -> None:
    class Proving:
        def ask(self, *_: Any) -> None: ...

        def decide(self, *_: Any) -> Decision:
            return decided(0)

        def prove(self, *said: Any) -> DecisionCertificate:
            assert said == (SCHEMA, (), decided(0), {("x",): 7})
            return DecisionCertificate("own", 5, 7, 3)

    certificate = prove(Proving(), SCHEMA, (), decided(0), {("x",): 7})
    assert certificate.people == 3
