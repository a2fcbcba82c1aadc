"""Late, absent, doubled and broken submissions: each is counted, and none stops the others."""

from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.rounds.mixing import open_envelopes
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.frames import Message, frame_envelopes
from veilmix.protocol.wire.messages import Body, Kind, Submission
from veilmix.roles import shuffler
from veilmix.roles.cast import Guards
from veilmix.roles.network.board_stream import BoardStream
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import Endpoint, Network

ROWS = KIT.people(12)


def cells(rows: Any, columns: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for row in rows:
        cell = tuple(row[column] for column in columns)
        counts[cell] = counts.get(cell, 0) + 1
    return counts


def test_an_honest_session_ends_without_a_burned_round() -> None:
    played = KIT.run(ROWS)
    board = played.board
    assert board.phase is Phase.OVER
    assert board.burned is None
    first, second = played.transcript.reads
    assert (first.reader, second.reader) == ("curator", "analyst")
    assert first.counts == tuple(cells(ROWS, (column,)) for column in range(3))
    assert second.counts == (cells(ROWS, (0, 2)),)
    assert board.tallies[0].counts is None  # they were not to be published
    assert board.tallies[1].counts == second.counts
    assert not played.transcript.refusals
    assert not played.reports
    assert [(m.people, m.received, m.forwarded) for m in board.mixed] == [
        (12, 12, 36),
        (12, 12, 12),
    ]


def test_nothing_is_sent_before_the_call_or_after_the_end() -> None:
    events = KIT.run(ROWS, shufflers=2).transcript.events
    kinds = [event.kind for event in events]
    called = [at for at, kind in enumerate(kinds) if kind is Kind.CALL]
    sent = [at for at, kind in enumerate(kinds) if kind is Kind.SUBMISSION]
    assert len(sent) == 2 * len(ROWS)
    assert called[0] < min(sent)
    assert kinds[-2:] == [Kind.CLOSED, Kind.HEAD]  # the end is signed by the board
    assert [event.time for event in events] == sorted(event.time for event in events)


def test_each_round_takes_one_deadline() -> None:
    events = KIT.run(ROWS, rules=Rules(deadline=7)).transcript.events
    assert {event.time for event in events if event.kind is Kind.CALL} == {0.0, 7.0}
    assert {event.time for event in events if event.kind is Kind.TALLY} == {7.0, 14.0}


# what -> (people, refusals of shuffler 1) in rounds 1 and 2
SMALL: dict[str, tuple[dict[str, Any], list[tuple[int, dict[Reason, int]]]]] = {
    "nobody": ({}, [(12, {}), (12, {})]),
    "duplicate": (
        {"user_3": "duplicate"},
        [(12, {Reason.DUPLICATE: 1}), (12, {Reason.DUPLICATE: 1})],
    ),
    "absent": ({"user_3": "absent"}, [(11, {}), (11, {})]),
    "absent-in-1": ({"user_3": ("absent", [1])}, [(11, {}), (11, {Reason.UNEXPECTED: 1})]),
    "malformed": (
        {"user_3": "malformed", "user_7": "malformed"},
        [(10, {Reason.DOES_NOT_OPEN: 2}), (10, {Reason.UNEXPECTED: 2})],
    ),
    "late-in-1": (
        {"user_3": ("late", [1])},
        [(11, {}), (11, {Reason.LATE: 1, Reason.UNEXPECTED: 1})],
    ),
    "late": ({"user_3": "late"}, [(11, {}), (11, {Reason.LATE: 2})]),
    "three-leave": (
        {f"user_{n}": ("absent", [2]) for n in (2, 5, 9)},
        [(12, {}), (9, {})],
    ),
    "three-are-late": (
        {f"user_{n}": ("late", [2]) for n in (2, 5, 9)},
        [(12, {}), (9, {Reason.LATE: 3})],
    ),
    "all-at-once": (
        {"user_1": "absent", "user_2": "duplicate", "user_3": "malformed"},
        [
            (10, {Reason.DUPLICATE: 1, Reason.DOES_NOT_OPEN: 1}),
            (10, {Reason.DUPLICATE: 1, Reason.UNEXPECTED: 1}),
        ],
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_what_users_do_wrong_is_counted(name: str) -> None:
    faults, rounds = SMALL[name]
    played = KIT.run(ROWS, faults=KIT.attack(**faults))
    assert played.board.burned is None
    assert [account.people for account in played.board.mixed] == [people for people, _ in rounds]
    for number, (people, refused) in enumerate(rounds, start=1):
        assert played.refused("shuffler-1", number) == refused
        assert sum(played.transcript.reads[number - 1].counts[0].values()) == people
    missing = {int(name[5:]) - 1 for name in faults if faults[name] != "duplicate"}
    if name not in ("three-leave", "three-are-late"):
        rest = [row for at, row in enumerate(ROWS) if at not in missing]
        assert played.transcript.reads[1].counts == (cells(rest, (0, 2)),)


def test_refusals_are_on_the_board_as_counts_without_names() -> None:
    played = KIT.run(ROWS, faults=KIT.attack(user_2="duplicate", user_3="malformed"))
    first = played.board.mixed[0]
    assert first.refused == {Reason.DUPLICATE: 1, Reason.DOES_NOT_OPEN: 1}
    assert (first.received, first.people, first.forwarded) == (13, 11, 33)
    assert not any(b"user-" in data for _, data in played.transcript.posts)


@pytest.mark.parametrize(("left", "least", "burned"), [(1, 10, True), (2, 3, True), (3, 3, False)])
@pytest.mark.parametrize("how", ["absent", "late", "malformed"])
def test_a_few_who_leave_between_the_rounds_burn_the_second(
    left: int, least: int, burned: bool, how: str
) -> None:
    faults = KIT.attack(**{f"user_{n + 1}": (how, [2]) for n in range(left)})
    played = KIT.run(ROWS, faults=faults, rules=Rules(min_dropout=least))
    text = f"{left} of 12 people are missing since the round before"
    assert (played.board.burned or "").startswith(text) is burned
    assert (played.board.burned is None) is not burned
    assert len(played.transcript.reads) == 2 - burned
    assert played.board.phase is Phase.OVER
    batches = [event for event in played.transcript.events if event.kind is Kind.BATCH]
    assert len(batches) == 2 - burned  # what is burned has not been handed on either


@pytest.mark.parametrize(("here", "burned"), [(3, True), (4, False)])
def test_fewer_people_than_the_minimum_batch_burn_the_round(here: int, burned: bool) -> None:
    faults = KIT.attack(**{f"user_{n + 1}": "absent" for n in range(here, 12)})
    played = KIT.run(ROWS, faults=faults, rules=Rules(min_batch=4))
    assert (played.board.burned is not None) is burned
    assert played.board.phase is Phase.OVER
    assert not any(event.kind is Kind.BATCH for event in played.transcript.events) or not burned
    if burned:
        assert played.board.burned == "3 people took part; the smallest batch that hides is 4"
        assert not played.transcript.reads
        assert played.board.decision is None


def test_only_late_users_burn_the_round_and_are_never_flushed() -> None:
    faults = KIT.attack(**{f"user_{n + 1}": "late" for n in range(12)})
    played = KIT.run(ROWS, faults=faults)
    assert played.board.burned == "0 people took part; the smallest batch that hides is 2"
    assert played.refused("shuffler-1", 1) == {Reason.LATE: 12}


@pytest.mark.slow
def test_more_late_users_than_an_inbox_holds_do_not_hang() -> None:
    """1,100 letters wait for an inbox of 1,024 while nobody collects."""
    rows = KIT.people(1_110)
    faults = KIT.attack(**{f"user_{n + 11}": "late" for n in range(1_100)})
    played = KIT.run(rows, faults=faults)
    assert played.board.burned is None
    assert [account.people for account in played.board.mixed] == [10, 10]
    assert played.refused("shuffler-1", 2) == {Reason.LATE: 2_200}


@pytest.mark.slow
def test_more_late_users_than_an_inbox_holds_after_the_end() -> None:
    rows = KIT.people(1_110)
    faults = KIT.attack(**{f"user_{n + 11}": ("late", [1]) for n in range(1_100)})
    played = KIT.run(rows, faults=faults, decide=KIT.keep())
    assert played.board.phase is Phase.OVER
    assert played.refused("shuffler-1", 1) == {Reason.LATE: 1_100}


def test_nothing_kept_ends_the_session_without_a_release() -> None:
    played = KIT.run(ROWS, decide=KIT.keep())
    assert len(played.board.calls) == 1
    assert played.board.phase is Phase.OVER
    assert played.board.burned is None
    assert len(played.transcript.reads) == 1


@pytest.mark.filterwarnings("ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning")
def test_a_row_outside_the_domain_is_one_clear_mistake() -> None:
    with pytest.raises(ParameterError, match="'colour': the value 'pink' is not in its domain"):
        KIT.run([*ROWS, ("pink", "Oslo", "yes")])


def test_one_person_is_never_alone() -> None:
    played = KIT.run(ROWS[:1])
    assert played.board.burned == "1 people took part; the smallest batch that hides is 2"


def test_a_session_without_people_ends() -> None:
    played = KIT.run([])
    assert played.board.burned == "0 people took part; the smallest batch that hides is 2"
    assert played.board.phase is Phase.OVER


class Posing(Endpoint):
    """Hands its own envelope in under the name of somebody who is asked nothing."""

    name = "curator"

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        data = Message(plan.session, plan.call.round, body).encode()
        await self.network.inject(self.name, receiver, data)


class PosingAsAnalyst(Posing):
    name = "analyst"


class PosingAsShuffler(Posing):
    name = "shuffler-2"


@pytest.mark.memory
@pytest.mark.parametrize("fault", [Posing, PosingAsAnalyst, PosingAsShuffler])
def test_only_users_hand_in_and_no_other_name_crashes_a_view(fault: Any) -> None:
    """The quick way for unsigned envelopes asks the table who may speak, like the other."""
    played = KIT.run(ROWS, shufflers=2, faults={"user-3": fault})
    assert played.board.burned is None
    for number in (1, 2):
        assert played.refused("shuffler-1", number) == {Reason.UNEXPECTED: 1}
        assert played.board.tallies[number - 1].totals[0] == len(ROWS) - 1
    seen = view(played.transcript, ["shuffler-1", "shuffler-2", "curator"], played.board)
    assert set(seen.by_round[1]) == set(range(len(ROWS))) - {2}


def test_an_envelope_out_of_its_phase_is_refused_on_the_quick_way_too() -> None:
    """Whoever is not collecting takes none: late once it has begun to mix, unexpected before."""
    played = KIT.run(ROWS)
    network = Network(Instruments([], lambda _: None))
    network.stream = BoardStream(played.board)
    me = network.join("shuffler-1")
    plan = network.plan(played.board.calls[1])
    plan = replace(plan, witness=b"")
    (letter,) = frame_envelopes(plan.session, 2, [b"an envelope"])
    signed = Message(plan.session, 2, Submission(b"an envelope", bytes(64))).encode()
    network.board.phase = Phase.COLLECTING
    assert me.envelope(plan, ("user-1", letter)) == b"an envelope"
    for phase, reason in (
        (Phase.MIXING, Reason.LATE),
        (Phase.OVER, Reason.LATE),
        (Phase.ANNOUNCED, Reason.UNEXPECTED),
    ):
        network.board.phase = phase
        for take, said in ((me.envelope, letter), (me.submission, signed)):
            with pytest.raises(Refused) as caught:
                take(plan, ("user-1", said))
            assert caught.value.reason is reason


def test_the_analyst_has_a_rule_of_its_own_on_who_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A first shuffler that hands on whatever comes does not make it release what tells the few."""
    monkeypatch.setattr("veilmix.roles.shuffler.check_rounds", lambda *_: None)
    played = KIT.run(ROWS, faults=KIT.attack(user_3=("absent", [2])))
    assert played.board.burned.startswith("1 of 12 people are missing since the round before")
    assert played.board.entries[-3].author == "analyst"  # closed, and the head, follow


@pytest.mark.memory
def test_of_an_envelope_that_is_too_long_no_more_is_held_than_shows_it() -> None:
    """It is refused when it is opened, as ever."""
    sizes: list[int] = []

    class Long(Endpoint):
        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            assert isinstance(body, Submission)
            sizes.append(plan.envelope)
            await super().send(plan, receiver, replace(body, envelope=bytes(1 << 20)))

    held: list[int] = []

    def counted(plan: Round, _secret: Any, envelopes: Any) -> Any:
        held.extend(map(len, envelopes))
        return open_envelopes(plan, _secret, envelopes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffler, "open_envelopes", counted)
        played = KIT.run(ROWS, faults={"user-2": Long})
    assert max(held) == sizes[0] + 1
    assert played.refused("shuffler-1", 1) == {Reason.WRONG_SIZE: 1}


def test_who_sends_without_end_in_one_name_is_looked_at_so_often_and_no_more() -> None:
    class Flood(Endpoint):
        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            assert isinstance(body, Submission)
            for _ in range(shuffler.TRIES + 5):
                await super().send(plan, receiver, replace(body, signature=bytes(64)))
            await super().send(plan, receiver, body)

    guards = Guards(registered=len(ROWS))
    played = KIT.run(ROWS, guards=guards, faults={"user-2": Flood})
    refused = played.refused("shuffler-1", 1)
    assert refused == {Reason.UNREGISTERED: shuffler.TRIES, Reason.DUPLICATE: 6}
