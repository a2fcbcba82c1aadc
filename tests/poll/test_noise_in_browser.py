"""What a phone says in place of an answer: the same law, rule and bytes as Python's."""

from math import nextafter
from typing import Any

import numpy as np
import protocol_kit as KIT
import pytest
from scipy.stats import chi2
from veilmix.analysis.randomizers import GRR
from veilmix.protocol.rounds.ballots import read_ballot
from veilmix.protocol.rounds.mixing import open_envelope, open_layers
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema

pytestmark = pytest.mark.slow

SCHEMA = Schema((Feature("colour", ("red", "green", "blue")), Feature("late", ("yes", "no"))))
REPORTS = Call(1, Role.ANALYST, ((0,), (1,)))


def asked(rule: str, program: Program = Program.RANDOMIZED) -> Any:
    """A session with this rule."""
    return KIT.session(2, schema=SCHEMA, policy=AnnouncedPolicy(1, 1.0, rule), program=program)


@pytest.mark.parametrize(("answers", "epsilon"), [(2, 0.01), (3, 1.0), (50, 3.7), (4, 20.0)])
def test_the_law_is_that_of_python_exactly(phone: Any, answers: int, epsilon: float) -> None:
    """Below the chance of the truth the own answer; else each of the others from one draw."""
    law = GRR(answers, epsilon)
    truth = phone.call("noise", answers, 0, epsilon, [])["truth"]
    assert truth == pytest.approx(law.truth, rel=1e-15)
    others = [[truth, below] for below in range(answers - 1)]
    for own in (0, 1, answers - 1):
        drawn = [[0, 0], [nextafter(truth, 0), 0], *others]
        noise = phone.call("noise", answers, own, epsilon, drawn)
        assert noise["lie"] == pytest.approx(law.lie, rel=1e-14)
        assert noise["said"][:2] == [own, own]
        assert noise["said"][2:] == [place for place in range(answers) if place != own]
    assert phone.call("units") == [0, 2**-53, 1 - 2**-53]


def test_what_phones_draw_has_that_law(phone: Any) -> None:
    """Chi-square of 40,000 draws: by chance it is passed once in 10^12 runs."""
    law, many = GRR(4, 1.2), 40_000
    for own in (0, 2):
        counts = np.array(phone.call("draws", 4, own, 1.2, many))
        expected = many * law.matrix[:, own]
        assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-12, 3)


def test_estimates_are_those_of_python(phone: Any) -> None:
    law = GRR(3, 0.8)
    for counts in ((11, 2, 7), (30, 0, 0), (1, 0, 0)):
        pairs = [[[value], many] for value, many in zip("abc", counts, strict=True) if many]
        rows = phone.call("estimated", list("abc"), pairs, 0.8)
        known = law.estimate_tally(counts, sum(counts))
        assert [row[0] for row in rows] == list("abc")
        columns = (known.shares, *known.interval())
        for place, column in enumerate(columns, start=1):
            assert [row[place] for row in rows] == pytest.approx(column.tolist(), abs=1e-12)


def test_what_is_sealed_has_noise_and_opens_in_python(phone: Any) -> None:
    """With 0.1 nats a question the own row comes 1 time in 5; that it never changes, in 4^-40."""
    held = asked("grr epsilon=0.2 each of 2")
    plan = held.plan(REPORTS)
    called = Message(held.announcement.digest(), 1, REPORTS).encode().hex()
    said = set()
    for _ in range(40):
        made = phone.call("seal", held.announcement.encode().hex(), called, ["red", "no"])
        envelope = bytes.fromhex(made["envelope"])
        layers = open_envelope(plan, held.keys["shuffler-1"].secret, envelope)
        for hop in range(2, len(plan.hops) + 1):
            layers = open_layers(plan, hop, held.keys[plan.openers[hop - 1]].secret, layers).inside
        said.add(
            tuple(
                ballot.values[0] for ballot in sorted(read_ballot(plan, layer) for layer in layers)
            )
        )
    assert len(said) > 1
    with pytest.raises(Exception, match="outside-domain"):
        phone.call("seal", held.announcement.encode().hex(), called, ["mauve", "no"])


WRONG_RULES = (
    "grr",
    "grr epsilon=1 each of 3",
    "oue epsilon=1 each of 2",
    "grr epsilon=41 each of 2",
    "grr epsilon=0 each of 2",
    "grr epsilon=1 each of 2 forever=3",
    "grr epsilon=-1 each of 2",
)


def test_noise_that_a_phone_cannot_add_is_refused_in_words(phone: Any) -> None:
    for rule in WRONG_RULES:
        said = phone.call("unable", asked(rule).announcement.encode().hex())
        assert said == f"this page cannot add the noise that is announced: {rule}"


def test_rules_as_python_writes_them_are_read(phone: Any) -> None:
    for epsilon in ("1", "0.5", "2.25", "1e-05"):
        told = asked(f"grr epsilon={epsilon} each of 2").announcement.encode().hex()
        assert phone.call("unable", told) == ""
