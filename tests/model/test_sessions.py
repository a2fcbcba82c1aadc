"""Sessions of any operations: whatever people, shufflers, wires, the curator and clocks do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import session_model as MODEL
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from veilmix.protocol.wire.announcement import Flaw
from veilmix.protocol.wire.messages import Alarm, Cause
from veilmix.roles import board_monitor
from veilmix.roles.cast import Cast

USER, ROUND, HOP = st.integers(0, 30), st.integers(1, 2), st.integers(0, 1)
FEW = st.integers(1, 4)
OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(MODEL.USERS), USER, ROUND),
    st.tuples(st.just("stuff"), USER, ROUND),
    st.tuples(st.sampled_from(sorted(MODEL.DEEDS)), HOP, FEW, ROUND),
    st.tuples(st.just("fails"), HOP, ROUND),
    st.tuples(st.just("slow"), HOP, st.sampled_from([1, 59, 61, 300, 10_000])),
    st.tuples(st.just("replay"), USER, st.sampled_from(["round", "next"])),
    st.tuples(st.sampled_from(["block", "delay"]), USER, ROUND),
    st.tuples(st.just("lie")),
    st.tuples(st.just("equivocate"), USER),
    st.tuples(st.just("jump"), st.integers(1, 60), st.sampled_from([1, 59, 61, 10_000])),
)
PLANS = st.builds(
    MODEL.Plan,
    people=st.integers(2, 14),
    shufflers=st.integers(1, 2),
    seed=st.integers(0, 9),
    keep=st.sampled_from([(0,), (2,), (0, 2)]),
    registered=st.booleans(),
    operations=st.lists(OPERATIONS, max_size=5).map(tuple),
)


@pytest.mark.slow
@settings(
    max_examples=150,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(PLANS)
def test_whatever_is_done_the_invariants_hold(plan: Any) -> None:
    note(f"replay: {plan.replay}")
    MODEL.check(MODEL.play_plan(plan))


def guards(**changes: Any) -> Callable[[Cast], Cast]:
    """A session in which parties do not look at something."""
    return lambda cast: replace(cast, guards=replace(cast.guards, **changes))


def flawed(*flaws: Flaw) -> Callable[[Cast], Cast]:
    """A session with design errors."""
    return lambda cast: replace(cast, rules=replace(cast.rules, lesson=True, flaws=flaws))


def plan(*operations: tuple[Any, ...], **changes: Any) -> Any:
    """A session of twelve people."""
    return MODEL.Plan(12, operations=operations, **changes)


WITHOUT = {
    "repeats are dropped": (
        plan(("replay", 3, "round")),
        flawed(Flaw.REPEATS),
        "no_ballot_is_counted_twice",
    ),
    "people look for their ballots": (
        plan(("substitute", 0, 3, 1), registered=True),
        guards(looks=lambda _: False),
        "honest_people_who_were_accepted_are_counted",
    ),
    "totals are added up": (
        plan(("drop", 1, 1, 1)),
        guards(balance=False),
        "what_is_wrong_on_the_board_is_alarmed",
    ),
    "the analyst decides again": (
        plan(("lie",)),
        guards(recompute=False),
        "what_is_wrong_on_the_board_is_alarmed",
    ),
    "people compare announcements": (
        plan(("equivocate", 2)),
        guards(compares=False),
        "what_is_wrong_on_the_board_is_alarmed",
    ),
    "batches with repeats are not taken": (
        plan(("copy", 1, 12, 1)),
        flawed(Flaw.REPEATS),
        "no_ballot_is_counted_twice",
    ),
}  # guard -> what is done, without the guard, and the invariant that misses it


@pytest.mark.parametrize("guard", WITHOUT)
def test_an_invariant_misses_every_guard_that_is_taken_away(guard: str) -> None:
    done, change, invariant = WITHOUT[guard]
    MODEL.check(MODEL.play_plan(done))
    with pytest.raises(AssertionError, match=f"(?s)^{invariant}: .*replay: python tests/kits"):
        MODEL.check(MODEL.play_plan(done, change))


def test_a_false_alarm_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def cry(board: Any, number: int, strategy: Any) -> Any:
        yield Alarm(number, Cause.BALANCE)

    monkeypatch.setattr(board_monitor, "seen_wrong", cry)
    with pytest.raises(AssertionError, match=r"every_alarm_is_justified|honest_sessions"):
        MODEL.check(MODEL.play_plan(plan()))


def test_what_a_completed_round_publishes_would_be_seen() -> None:
    """The control of what a burned round must not show."""
    played = MODEL.play_plan(plan())
    assert all(MODEL.on_the_board(played.board, index) for index in range(12))
    burned = MODEL.play_plan(plan(("fails", 0, 1)))
    assert burned.board.burned is not None
    assert not any(MODEL.on_the_board(burned.board, index) for index in range(12))


def test_a_plan_is_read_as_it_is_written() -> None:
    draft = plan(("drop", 1, 2, 1), ("lie",), ("replay", 3, "next"), keep=(2,), registered=True)
    command = draft.replay
    assert MODEL.planned(command[command.index("{") : -1]) == draft


@pytest.mark.slow
def test_what_is_planned_happens() -> None:
    """Operations are not idle: each of them leaves a trace in its session."""
    for operation in (
        ("absent", 3, 1), ("late", 3, 1), ("malformed", 3, 1), ("duplicate", 3, 1), ("stuff", 3, 1),
        ("drop", 1, 2, 1), ("drop-people", 0, 4, 1), ("substitute", 0, 2, 1), ("copy", 1, 2, 1),
        ("tag", 1, 2, 1), ("forward", 0, 2, 1), ("fails", 1, 2), ("slow", 0, 10_000),
        ("replay", 3, "round"), ("replay", 3, "next"), ("block", 3, 1), ("delay", 3, 1), ("lie",),
        ("equivocate", 3), ("jump", 12, 10_000),
    ):  # fmt: skip
        played = MODEL.play_plan(plan(operation))
        quiet = MODEL.play_plan(plan())
        MODEL.check(played)
        seen = played.transcript.refusals, played.board.burned, played.board.alarms
        assert seen != ([], None, []) or played.counted(1) != quiet.counted(1), operation


FORGED = MODEL.Plan(2, 1, keep=(0,), operations=(("substitute", 0, 2, 1),))


def test_a_promise_made_from_counts_that_were_changed_is_broken() -> None:
    """Found by search: two equal forged answers look like a crowd to the curator."""
    played = MODEL.play_plan(FORGED)
    MODEL.check(played)
    assert played.board.decision is not None
    assert played.board.decision.certificate.people == 0
    (released,) = played.read(2)
    assert sorted(released.values()) == [1, 1]  # both are alone
    assert not played.board.alarms


def test_where_people_look_before_counts_that_were_changed_are_never_made() -> None:
    played = MODEL.play_plan(replace(FORGED, registered=True))
    MODEL.check(played)
    assert played.board.burned is not None
    assert not played.board.tallies
    alarms = {(party, alarm.cause) for party, alarm in played.board.alarms}
    assert alarms == {("user-1", Cause.CHANGED), ("user-2", Cause.CHANGED)}
