"""A curator of `hierarchical` that queries all columns at once, which its announced rule forbids.

The board takes such a call: what a rule asks depends on counts. Where these are published, users
work out what is due, and answer nothing else. Where they are secret, it asks what it likes.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import role_kit as KIT
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from veilmix.protocol.wire.messages import Call, Cause, Counts, Decision
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.roles import session
from veilmix.roles.curator import Plans
from veilmix.scenarios.programs.hierarchical.strategy import HierarchicalStrategy
from veilmix.scenarios.schema.model import Policy

SCHEMA = Schema(tuple(Feature(name, ("0", "1")) for name in "abc"))
SECTION = Policy(kind="hierarchical", k=2, max_exposure=0.1, curator_exposure=0.0, ask="best")
RULE = "hierarchical ask=best curator_exposure=0"
ALL = (0, 1, 2)
ROWS = [("0", "0", "0")] * 9 + [("1", "1", "1")] * 9 + [("0", "1", "1"), ("1", "0", "0")]
STRATEGY = HierarchicalStrategy(SECTION)


class Greedy:
    """The strategy of a curator that queries all columns in round 2, whatever the rule asks."""

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """All of them, once."""
        return Call(2, Role.CURATOR, (ALL,)) if len(heard) == 1 else None

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """As the announced rule decides."""
        return STRATEGY.decide(schema, heard[:1])


@pytest.fixture
def greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curator that asks so, among users who know the announced rule."""
    honest = session._plans

    def plans(*given: Any) -> Plans:
        made = honest(*given)
        made.strategy = Greedy()
        return made

    monkeypatch.setattr(session, "_plans", plans)


def played(*, public: bool) -> KIT.Run:
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "program": Program.HIERARCHICAL,
        "policy": AnnouncedPolicy(2, 0.1, RULE, publish_marginals=public),
        "rules": Rules(min_batch=4, min_dropout=3),
        "decide": STRATEGY,
    }
    return KIT.run(ROWS, **fields)


def joint_read(run: KIT.Run) -> list[Counts]:
    """What the curator has counted of all columns together."""
    return [
        read.counts[0]
        for read in run.transcript.reads
        if read.reader == "curator" and read.round == 2 and len(next(iter(read.counts[0]))) == 3
    ]


@pytest.mark.usefixtures("greedy")
def test_where_counts_are_published_nobody_answers_a_call_that_the_rule_forbids() -> None:
    run = played(public=True)
    assert joint_read(run) == []
    assert run.board.burned is not None
    assert run.board.burned.startswith("0 people took part")
    ((party, alarm),) = run.board.alarms
    assert party.startswith("user-")
    assert (alarm.round, alarm.cause) == (2, Cause.DECISION)
    assert borne_out(run.board, alarm, STRATEGY)


@pytest.mark.usefixtures("greedy")
def test_so_does_one_task_for_many_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "COHORT_ABOVE", 5)
    run = played(public=True)
    assert joint_read(run) == []
    assert [alarm.cause for _, alarm in run.board.alarms] == [Cause.DECISION]


@pytest.mark.usefixtures("greedy")
def test_where_counts_are_secret_the_curator_asks_what_it_likes() -> None:
    """No party but the curator can tell: this is said of such a scenario wherever it is judged."""
    run = played(public=False)
    assert [dict(counts) for counts in joint_read(run)] == [dict(Counter(ROWS))]
    assert run.board.alarms == []


@pytest.mark.parametrize("public", [False, True])
def test_a_curator_that_keeps_to_the_rule_is_answered(public: bool) -> None:
    run = played(public=public)
    assert run.board.burned is None
    assert run.board.alarms == []
    assert run.board.decision is not None
    assert run.board.decision.kept
