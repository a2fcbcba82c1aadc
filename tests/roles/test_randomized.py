"""The program `randomized`: one round, read by the analyst, of what people say after lying."""

from collections import Counter
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import Entropy, SeededEntropy
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.ideal import randomized
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.messages import Kind
from veilmix.protocol.wire.parties import Role
from veilmix.roles import session

ROWS = KIT.people(40)


def coin(row: Any, entropy: Entropy) -> Any:
    """Answer the last question by the toss of a coin."""
    return (*row[:-1], ("yes", "no")[entropy.random(1)[0] & 1])


def lying(**changes: Any) -> Any:
    return KIT.run(ROWS, program=Program.RANDOMIZED, randomize=coin, **changes)


def said(seed: int = 1) -> list[tuple[str, ...]]:
    """What the people of a seeded run say."""
    root = SeededEntropy(seed)
    fresh = [root.fork(f"user-{i + 1}").fork("round-1").fork("lie") for i in range(len(ROWS))]
    return [coin(row, entropy) for row, entropy in zip(ROWS, fresh, strict=True)]


@pytest.mark.parametrize("cohorts", [False, True])
def test_the_analyst_counts_what_people_say(cohorts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if cohorts:
        monkeypatch.setattr(session, "COHORT_ABOVE", 5)
    played = lying(shufflers=2)
    expected = tuple(Counter((row[c],) for row in said()) for c in range(3))
    assert played.board.tallies[0].counts == expected
    assert expected[2] != Counter((row[2],) for row in ROWS)
    assert played.board.phase is Phase.OVER
    assert [call.reader for call in played.board.calls] == [Role.ANALYST]
    assert played.board.decision is None


def test_without_a_lie_they_say_what_is_true() -> None:
    played = KIT.run(ROWS, program=Program.RANDOMIZED)
    assert played.board.tallies[0].counts == tuple(
        Counter((row[c],) for row in ROWS) for c in range(3)
    )


def test_randomized_is_its_ideal() -> None:
    cast = KIT.cast(ROWS, program=Program.RANDOMIZED, randomize=coin)
    outcome = randomized(cast.schema, KIT.table(cast, said()), cast.rules)
    run = KIT.run(cast)
    assert run.board.tallies[0].counts == outcome.tallies[0]
    assert outcome.decision is outcome.release is outcome.burned is None


def test_a_coalition_learns_what_was_said_and_not_what_is_true() -> None:
    knowledge = view(lying().transcript, ["shuffler-1", "analyst"])
    assert knowledge.pinned == {i: dict(enumerate(row)) for i, row in enumerate(said())}
    assert not view(lying().transcript, ["shuffler-1", "curator"]).pinned


def test_too_few_people_burn_it_as_any_other() -> None:
    played = KIT.run(ROWS[:1], program=Program.RANDOMIZED, randomize=coin)
    assert played.board.burned == "1 people took part; the smallest batch that hides is 2"
    assert not any(event.kind is Kind.BATCH for event in played.transcript.events)
