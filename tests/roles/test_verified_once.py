"""Sessions whose users submit once: round 2 mixes the ballots of round 1, and asks nobody."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.verified.rows import CiphertextRows
from veilmix.errors import Reason
from veilmix.protocol.board.verified_record import check_record
from veilmix.protocol.rounds.registered_users import submission
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.verified_answers import AnswerElements
from veilmix.protocol.rounds.verified_round import (
    GROUP,
    first_lists,
    joint_keys,
    make_ballots,
    shuffle,
)
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.messages import Body, Submission
from veilmix.protocol.wire.parties import user
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    ShuffledLists,
)
from veilmix.roles import verified_door
from veilmix.roles.cast import Cast
from veilmix.roles.network.memory_network import Endpoint
from verified_kit import add


def once(people: int = 5, **changes: Any) -> Cast:
    """Return a session of so many people about three columns, of which two are released."""
    return replace(VERIFIED.cast(people, **changes), program=Program.TWO_ROUND_ONCE)


@pytest.mark.memory
@pytest.mark.parametrize("policy", [VERIFIED.SECRET, VERIFIED.PUBLISHED], ids=["secret", "public"])
def test_real_is_ideal(policy: Any) -> None:
    cast = once(policy=policy)
    run = KIT.run(cast)
    assert run.ideal() == KIT.ideal(cast)
    shown = run.board.verified
    assert shown.keys.keys() == shown.handed.keys() == {1}
    assert shown.closed[1] == shown.closed[2]
    assert {party: len(body.keys) for party, body in shown.keys[1].items()} == {
        "curator": 3,
        "shuffler-1": 4,
        "shuffler-2": 4,
        "analyst": 1,
    }
    checked = check_record(run.board, SeededEntropy(1))
    assert (checked.ballots, checked.shuffles) == (15, 8)
    assert checked.shares == 5 * (3 * (2 + cast.policy.publish_marginals) + 2 * 3)


@pytest.mark.memory
def test_users_who_are_missing_in_round_2_change_nothing() -> None:
    faults = KIT.attack(
        **dict.fromkeys(("user_1", "user_2"), ("absent", [2])),
        user_3=("late", [2]),
        user_4=("malformed", [2]),
    )
    whole, some = KIT.run(once()), KIT.run(once(faults=faults))
    assert some.board.digest() == whole.board.digest()
    assert some.ideal()[2]


@pytest.mark.memory
def test_users_who_are_missing_in_round_1_are_in_no_round() -> None:
    cast = once(faults=KIT.attack(user_1="absent"))
    run = KIT.run(cast)
    assert run.ideal() == KIT.ideal(cast, {1: [0]})
    assert [tally.totals[0] for tally in run.board.tallies] == [4, 4]


Columns = list[tuple[bytes, ...]]


def exchanged(columns: Columns) -> Columns:
    """The values of two users in the first column are exchanged."""
    first = [(two, one, *rest) for one, two, *rest in columns[:2]]
    return [*first, *columns[2:]]


def doubled(columns: Columns) -> Columns:
    """The ballots of the first user stand in the place of the second user's."""
    return [(one, one, *rest) for one, _, *rest in columns]


def another(columns: Columns) -> Columns:
    """The first ballot holds another value."""
    return [columns[0], (add(columns[1][0]), *columns[1][1:]), *columns[2:]]


def other_columns(columns: Columns) -> Columns:
    """The kept columns stand in another order."""
    return [*columns[2:], *columns[:2]]


def omitted(columns: Columns) -> Columns:
    """The ballots of a user are left out."""
    return [column[1:] for column in columns]


@pytest.mark.memory
@pytest.mark.parametrize("change", [exchanged, doubled, another, other_columns])
def test_ballots_changed_between_the_rounds_are_refused(
    change: Callable[[Columns], Columns],
) -> None:
    """A shuffler mixes other ballots in round 2 than were submitted, and proves what it did."""
    run = KIT.run(once(faults={"shuffler-1": mixing(change)}))
    assert run.board.burned is not None
    assert "the shuffle of shuffler-1 does not check" in run.board.burned
    assert [tally.totals for tally in run.board.tallies] == [(5, 5, 5)]
    assert 2 not in run.board.verified.shared


@pytest.mark.memory
def test_ballots_left_out_between_the_rounds_are_refused() -> None:
    run = KIT.run(once(faults={"shuffler-1": mixing(omitted)}))
    assert run.board.burned is not None
    assert "no shuffled lists came from shuffler-1" in run.board.burned
    assert 2 not in run.board.verified.shuffled


def mixing(change: Callable[[Columns], Columns]) -> Any:
    """Return the fault of a shuffler that mixes changed ballots in round 2."""

    async def act(me: VERIFIED.Cheat, body: Body, post: VERIFIED.Posting) -> None:
        if isinstance(body, ShuffledLists) and len(me.board.calls) == 2:
            plan, shown = me.plan(me.board.calls[-1]), me.board.verified
            (rows,) = first_lists(plan, shown.closed[2])
            old = CiphertextRows(tuple(change(list(rows.columns))))
            keys = joint_keys(plan, shown.keys[1])
            body = shuffle(plan, me.party, keys, (old,), SeededEntropy(9))
        await post(body)

    return VERIFIED.cheat(act)


class TwoValues(Endpoint):
    """A user that gives one reader another value than the other, and signs it."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send it."""
        if isinstance(body, Submission):
            records = body.envelope
            other = add(records[64:96])
            body = submission(plan, records[:64] + other + records[96:], self.signer)
        await super().send(plan, receiver, body)


@pytest.mark.memory
def test_a_ballot_with_two_values_is_refused_at_each_door() -> None:
    run = KIT.run(once(faults={user(0): TwoValues}))
    for party in ("curator", "shuffler-1", "shuffler-2"):
        assert run.refused(party, 1) == {Reason.MALFORMED: 1}, party
    assert [tally.totals[0] for tally in run.board.tallies] == [4, 4]


@pytest.mark.memory
def test_the_analyst_checks_the_ballots_of_round_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """All keyholders of round 1 take a ballot with two values."""
    checks, whole = verified_door.check_handed, verified_door.Door.check_handed

    async def only_analyst(door: Any, *about: Any) -> None:
        if door.me.party == "analyst":
            monkeypatch.setattr(verified_door, "check_handed", checks)
            await whole(door, *about)

    monkeypatch.setattr(verified_door, "check_handed", lambda *about: [None] * len(about[-1]))
    monkeypatch.setattr(verified_door.Door, "check_handed", only_analyst)
    run = KIT.run(once(faults={user(0): TwoValues}))
    assert run.board.burned is not None
    assert "curator posted ballots of user-1 that do not check" in run.board.burned
    assert 2 not in run.board.verified.shuffled


@pytest.mark.memory
@pytest.mark.parametrize("party", ["analyst", "shuffler-2", "curator"])
def test_a_keyholder_without_keys_is_named(party: str) -> None:
    silent = VERIFIED.changing(BallotKeys, lambda _: None)
    run = KIT.run(once(faults={party: silent}))
    assert run.board.burned == f"no keys for ballots came from {party}"
    assert not run.board.verified.handed


@pytest.mark.memory
def test_a_value_that_does_not_read_is_refused_in_both_rounds() -> None:
    """It marks its sender alone: the others are released, however few are missing."""
    run = KIT.run(once(faults={user(0): Unreadable}))
    assert run.board.burned is None
    first, second = run.board.tallies
    assert (first.totals, dict(first.refused)) == ((4, 5, 5), {Reason.MALFORMED: 1})
    assert (second.totals, dict(second.refused)) == ((4,), {Reason.MALFORMED: 1})


class Unreadable(Endpoint):
    """A user whose first ballot holds no value, with a right proof."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send it."""
        if isinstance(body, Submission):
            keys = joint_keys(plan, self.board.verified.keys[1])
            elements: Any = NoValue(plan)
            fresh = SeededEntropy(3)
            records = make_ballots(plan, keys, elements, 0, ("red", "Oslo", "yes"), fresh)
            body = submission(plan, records, self.signer)
        await super().send(plan, receiver, body)


class NoValue:
    """Elements of answers, but of the first query an element that holds none."""

    def __init__(self, plan: Round) -> None:
        self.elements = AnswerElements(plan)

    def encode(self, ask: int, values: tuple[str, ...]) -> bytes:
        """Return the element of an answer."""
        (none,) = GROUP.base_multiples([5])
        return none if ask == 0 else self.elements.encode(ask, values)


@pytest.mark.memory
@pytest.mark.parametrize("kind", [BallotKeys, HandedBallots])
def test_no_keys_or_ballots_are_posted_in_round_2(kind: type) -> None:
    tried = list[bool]()

    async def act(me: VERIFIED.Cheat, body: Body, post: VERIFIED.Posting) -> None:
        if isinstance(body, kind):
            me.kept[kind] = body
        if isinstance(body, CheckedBallots) and len(me.board.calls) == 2:
            tried.append(True)
            body = me.kept[kind]
        await post(body)

    run = KIT.run(once(faults={"shuffler-1": VERIFIED.cheat(act)}))
    assert tried
    assert run.board.burned == "no verdict on ballots came from shuffler-1"
