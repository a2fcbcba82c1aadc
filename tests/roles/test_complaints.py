"""Complaints: none is raised that a reader could open, and people have their time to look."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
import trio
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.board.board import Board, Entry
from veilmix.protocol.board.challenge import COMPLAINTS_END, LOOKING, MARKS_DUE, _rebuilt
from veilmix.protocol.rounds.locks import locked, unlock
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Alarm, BallotMarks, Body, Kind
from veilmix.protocol.wire.wire import decode
from veilmix.roles import challenge
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.roles.cast import Guards
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Endpoint, Fault, Network
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, drop, substitute

pytestmark = pytest.mark.memory

MANY = 12
ROWS = KIT.people(MANY)
PEOPLE = [f"user-{i + 1}" for i in range(MANY)]
GUARDED: dict[str, Any] = {
    "rules": Rules(min_dropout=3, challenge=True),
    "guards": Guards(registered=MANY),
    "shufflers": 3,
}
UNIT = GUARDED["rules"].deadline


class Clocked(Instrument):
    """When each message stood on the board."""

    def __init__(self) -> None:
        self.times: list[tuple[float, Entry]] = []

    def posted(self, time: float, entry: Entry) -> None:
        """Keep it."""
        self.times.append((time, entry))

    def when(self, kind: Kind, number: int = 1) -> list[float]:
        """The times of a kind of message in a round."""
        return [
            time
            for time, entry in self.times
            if (entry.message.kind, entry.message.round) == (kind, number)
        ]


class Late(Endpoint):
    """A place in which a person hears of the marks so many seconds late, or after the shares.

    The person does not notice meanwhile that its time is up, as a machine that is suspended.
    """

    late: float | Kind = 0.0

    async def until(self, kind: Kind, ready: Any) -> None:
        """Wait as everybody does, and longer for the marks."""
        await super().until(kind, ready)
        if kind is not Kind.HEARD:
            return
        with trio.CancelScope(shield=True):
            if isinstance(self.late, Kind):
                await super().until(self.late, whole)
            else:
                await trio.sleep(self.late)


def whole(board: Board) -> bool:
    """Whether every shuffler has shown its share of the round."""
    assert board.announcement is not None
    shown = board.challenged.share_secrets.get(len(board.calls), {})
    return len(shown) == len(board.announcement.shufflers)


def held_back(late: float | Kind, *parties: str) -> dict[str, Fault]:
    """Show the marks late to some people: what whoever keeps the board can do."""

    def place(network: Network, party: str) -> Endpoint:
        late_place = Late(network, party)
        late_place.late = late
        return late_place

    return dict.fromkeys(parties, place)


class Lying(Endpoint):
    """A reader that shows marks of nothing in the place of those of what has come."""

    async def post(self, body: Body) -> None:
        """Show as many."""
        if isinstance(body, BallotMarks):
            made = (bytes([at // 256, at % 256]) * 16 for at in range(len(body.hashes)))
            body = BallotMarks(tuple(made))
        await super().post(body)


def played(faults: Mapping[str, Fault], clocked: Clocked | None = None, **changes: Any) -> KIT.Run:
    what = GUARDED | {"faults": faults} | changes
    return KIT.run(ROWS, [clocked] if clocked else (), **what)


def read_by_name(run: KIT.Run, record: AdversaryRecord, reader: str) -> set[str]:
    """Whose ballots, of those that complaints show, a reader opens with all shares that stand."""
    board, read = run.board, set[str]()
    own = record.loot(board, (reader,)).shares
    assert board.announcement is not None
    for party, alarm in board.alarms:
        plan = open_round(board.announcement, board.session, board.calls[alarm.round - 1])
        plan = locked(plan, board.challenged.shares[alarm.round])  # type: ignore[assignment]
        _, ballot, _ = decode(alarm.evidence, lambda data, plan=plan: _rebuilt(plan, data))  # type: ignore[misc]
        shown = board.challenged.share_secrets.get(alarm.round, {}).values()
        (plain,) = unlock(plan, [*shown, own[reader, alarm.round]], [ballot])
        read |= {party} if plain is not None else set()
    return read


@pytest.mark.parametrize("reader", ["curator", "analyst"])
@pytest.mark.parametrize("late", [Kind.SHOWN, LOOKING * UNIT, (COMPLAINTS_END - 1) * UNIT], ids=str)
def test_who_hears_too_late_of_the_marks_complains_no_more(reader: str, late: float | Kind) -> None:
    """A reader that shows other marks, and the keeper of the board, read them all before (S2)."""
    record = AdversaryRecord()
    faults = held_back(late, *PEOPLE) | {reader: Lying}
    run = played(faults, adversary=record)
    assert read_by_name(run, record, reader) == set()
    assert not run.board.alarms


@pytest.mark.parametrize("reader", ["curator", "analyst"])
@pytest.mark.parametrize(
    "late", [0.0, (COMPLAINTS_END - 0.01) * UNIT], ids=["at-once", "just-in-time"]
)
def test_who_hears_in_time_complains_and_nothing_is_opened(reader: str, late: float) -> None:
    """People send at once here, so marks and sending are at one time but for the collection."""
    record, number = AdversaryRecord(), 1 if reader == "curator" else 2
    run = played(
        held_back(0.0 if late == 0 else late - UNIT, *PEOPLE) | {reader: Lying}, adversary=record
    )
    assert run.board.burned == "a ballot that user-1 sent and was accepted has not come"
    assert {party for party, _ in run.board.alarms} == set(PEOPLE)
    assert number not in run.board.challenged.share_secrets
    assert read_by_name(run, record, reader) == set()


def test_nobody_complains_who_sees_a_share_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every shuffler shows its share at once here; people look later, and the reader last."""

    async def hasty(me: Endpoint, *_others: Any) -> None:
        await trio.sleep(0.0 if me.party.startswith("shuffler") else 2.0)

    monkeypatch.setattr(challenge, "wait_for_people", hasty)
    record = AdversaryRecord()
    run = played(held_back(1.0, *PEOPLE) | {"curator": Lying}, adversary=record)
    assert len(run.board.challenged.share_secrets[1]) == 3
    assert not run.board.alarms
    assert read_by_name(run, record, "curator") == set()


def test_a_complaint_that_does_not_reach_the_board_in_time_is_given_up() -> None:
    class Unheard(Endpoint):
        async def post(self, body: Body) -> None:
            """Find no way to the board before the shares are shown."""
            if isinstance(body, Alarm):
                await self.until(Kind.SHOWN, whole)
            await super().post(body)

    run = played(dict.fromkeys(PEOPLE, Unheard) | {"curator": Lying})
    assert not run.board.alarms
    assert len(run.board.challenged.share_secrets[1]) == 3


def test_a_reader_that_shows_less_than_was_accepted_is_refused() -> None:
    """It learns nobody's row from who complains: the board does not take the marks (S1)."""

    class Less(Endpoint):
        async def post(self, body: Body) -> None:
            """Leave one out."""
            if isinstance(body, BallotMarks):
                body = BallotMarks(body.hashes[1:])
            await super().post(body)

    run = played({"curator": Less})
    assert run.board.burned == "the board refused the heard of curator: unexpected"
    assert not run.board.alarms


def test_an_honest_reader_burns_when_less_has_come_and_names_nobody() -> None:
    deed = Deed(drop, SeededEntropy(3), rate=0.2)
    run = played({"shuffler-2": cheat(deed)})
    assert run.board.burned is not None
    assert run.board.burned.endswith(
        "were accepted: some were lost between people, shufflers and reader"
    )
    assert not run.transcript.reads


def test_no_share_is_shown_before_people_have_looked_the_whole_time() -> None:
    clocked = Clocked()
    run = played({}, clocked)
    assert run.board.burned is None
    for number in (1, 2):
        (heard,) = clocked.when(Kind.HEARD, number)
        shown = clocked.when(Kind.SHOWN, number)
        assert len(shown) == 3
        assert min(shown) >= heard + LOOKING * UNIT


def test_some_people_look_and_others_do_not() -> None:
    looking = replace(GUARDED["guards"], looks=lambda index: index == 4)
    run = played({"curator": Lying}, guards=looking)
    assert [party for party, _ in run.board.alarms] == ["user-5"]
    assert run.board.burned == "a ballot that user-5 sent and was accepted has not come"
    nobody = replace(looking, looks=lambda _: False)
    assert played({"curator": Lying}, guards=nobody).board.burned is None


def test_a_share_that_is_shown_too_early_burns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a shuffler that has changed something could keep people from complaining."""
    honest = challenge.examine

    async def hasty(me: Endpoint, *others: Any) -> bool:
        return me.party == "shuffler-1" or await honest(me, *others)

    monkeypatch.setattr(challenge, "examine", hasty)
    target = Deed(substitute, SeededEntropy(3), target="user-3")
    run = played({"shuffler-1": cheat(target)})
    assert run.board.burned is not None
    assert "saw a share of shuffler-1 before people had looked" in run.board.burned
    assert set(run.board.challenged.share_secrets[1]) == {"shuffler-1"}
    assert not run.transcript.reads


def test_marks_that_come_too_late_to_be_looked_at_burn() -> None:
    class Slow(Endpoint):
        async def post(self, body: Body) -> None:
            """Wait before the marks."""
            if isinstance(body, BallotMarks):
                await trio.sleep(MARKS_DUE * UNIT)
            await super().post(body)

    run = played({"curator": Slow})
    assert run.board.burned is not None
    assert run.board.burned.endswith("too late for people to look")
    assert not run.board.challenged.share_secrets


@pytest.mark.parametrize("reader", ["curator", "analyst"])
def test_complaints_that_no_honest_shuffler_hears_of_still_give_ballots_away(
    reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known and not stopped: whoever keeps the board shows complaints to the reader alone.

    docs/attacks.md names it (S10), and ADR 85 says what would stop it.
    """
    monkeypatch.setattr(challenge, "borne_out", lambda *_: False)
    record = AdversaryRecord()
    run = played({reader: Lying}, adversary=record)
    assert read_by_name(run, record, reader) == set(PEOPLE)
