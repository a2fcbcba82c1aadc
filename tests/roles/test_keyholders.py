"""What curator, shufflers and analyst may do wrong: the session ends, and says why."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
import trio
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.suites import suite
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.board import Board, Entry
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Announcement
from veilmix.protocol.wire.messages import (
    Batch,
    Body,
    Burned,
    Call,
    Consent,
    Key,
    Kind,
    Mixed,
    Tally,
)
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.attacks.faults.batch_door import BatchDoor, Turn

ROWS = KIT.people(9)


class Silent(Endpoint):
    """Posts nothing of some kinds, and sends no batch."""

    unsaid: tuple[type, ...] = ()

    async def post(self, body: Body) -> None:
        if isinstance(body, self.unsaid):
            await trio.lowlevel.checkpoint()
        else:
            await super().post(body)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        await trio.lowlevel.checkpoint()


class WithoutKey(Silent):
    unsaid = (Key, Consent)


class WithoutConsent(Silent):
    unsaid = (Consent,)


class WithoutAccount(Silent):
    unsaid = (Mixed,)


class Tampering(Endpoint):
    """Changes its batch after it has accounted for it."""

    def change(self, layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return layers

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if isinstance(body, Batch):
            body = Batch(self.change(body.layers))
        await super().send(plan, receiver, body)


class Unsorted(Tampering):
    def change(self, layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return layers[::-1]


class Doubling(Tampering):
    def change(self, layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return (layers[0], *layers)


def tagged(layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple(sorted([layers[0][:-1] + bytes([layers[0][-1] ^ 1]), *layers[1:]]))


class TaggingAfterwards(Tampering):
    def change(self, layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return tagged(layers)


class DroppingAfterwards(Tampering):
    def change(self, layers: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return layers[:-1]


class Always(BatchDoor):
    """Changes its batch in every round, before it accounts for it."""

    def strikes(self, number: int) -> bool:
        return True


class Tagging(Always):
    def change(self, turn: Turn) -> None:
        turn.last.append(tagged)


class Dropping(Always):
    def change(self, turn: Turn) -> None:
        turn.last.append(lambda batch: batch[:-1])


class Misaccounting(Endpoint):
    """Posts a digest that is not that of its batch."""

    async def post(self, body: Body) -> None:
        await super().post(replace(body, digest=bytes(32)) if isinstance(body, Mixed) else body)


class Unaccounted(Endpoint):
    """Sends its batch, and accounts for nothing."""

    async def post(self, body: Body) -> None:
        if not isinstance(body, Mixed):
            await super().post(body)


class Preempting(Endpoint):
    """Hands the reader a batch of its own before the last shuffler has one."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if isinstance(body, Batch):
            await super().send(plan, plan.reader, body)
        await super().send(plan, receiver, body)


class Foreign(Endpoint):
    """Sends every batch to the wrong place first, and noise to the right one."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        await self.network.carry(self.party, receiver, b"noise")
        other = "analyst" if receiver == "curator" else "curator"
        await super().send(plan, other, body)
        await super().send(plan, receiver, body)


def came(sender: str, receiver: str, seconds: int) -> str:
    """What is said where no batch comes."""
    return f"no batch that could be taken came from {sender} to {receiver} within {seconds} seconds"


NEVER = {
    ("shuffler-1", Silent, 1): came("shuffler-1", "curator", 180),
    ("shuffler-1", Silent, 3): came("shuffler-1", "shuffler-2", 180),
    ("shuffler-2", Silent, 3): came("shuffler-2", "shuffler-3", 240),
    ("shuffler-3", Silent, 3): came("shuffler-3", "curator", 300),
    ("shuffler-2", Unsorted, 2): came("shuffler-2", "curator", 240),
    ("shuffler-1", Doubling, 2): came("shuffler-1", "shuffler-2", 180),
    ("shuffler-1", WithoutAccount, 1): came("shuffler-1", "curator", 180),
    ("shuffler-1", WithoutKey, 2): "shuffler-1 published no key within 60 seconds",
    ("analyst", WithoutKey, 1): "analyst published no key within 60 seconds",
    ("shuffler-2", WithoutConsent, 2): (
        "shuffler-2 did not consent to the announcement within 60 seconds"
    ),
    ("analyst", WithoutConsent, 1): (
        "analyst did not consent to the announcement within 60 seconds"
    ),
}


@pytest.mark.parametrize("case", NEVER, ids=lambda case: f"{case[0]}-{case[1].__name__}-{case[2]}")
def test_a_keyholder_that_does_not_do_its_part_burns_the_round(case: Any) -> None:
    party, fault, shufflers = case
    played = KIT.run(ROWS, shufflers=shufflers, faults={party: fault})
    assert played.board.burned == NEVER[case]
    assert played.board.phase is Phase.OVER
    assert not played.transcript.reads
    assert not played.board.tallies
    sent = any(event.kind is Kind.SUBMISSION for event in played.transcript.events)
    assert sent is (fault not in (WithoutKey, WithoutConsent))


class WithoutRelease(Endpoint):
    """Reads what is to be released, and publishes nothing."""

    async def post(self, body: Body) -> None:
        if not isinstance(body, Tally):
            await super().post(body)


def test_an_analyst_that_releases_nothing_burns_the_round() -> None:
    run = KIT.run(ROWS, faults={"analyst": WithoutRelease}, rules=KIT.Rules(deadline=10))
    assert run.board.burned == "no release came from the analyst within 40 seconds"
    assert len(run.board.tallies) == 1
    assert run.board.phase is Phase.OVER


def test_an_unsorted_batch_is_refused_and_counted() -> None:
    played = KIT.run(ROWS, shufflers=2, faults={"shuffler-2": Unsorted})
    assert played.refused("curator", 1) == {Reason.MALFORMED: 1}


# Who delivers what it has not accounted for, with so many shufflers -> who gets it
ANOTHER: dict[tuple[str, type[Endpoint], int], str] = {
    ("shuffler-1", TaggingAfterwards, 2): "shuffler-2",
    ("shuffler-2", TaggingAfterwards, 2): "curator",
    ("shuffler-1", DroppingAfterwards, 1): "curator",
    ("shuffler-1", Misaccounting, 1): "curator",
    ("shuffler-2", Misaccounting, 3): "shuffler-3",
    ("shuffler-2", Unaccounted, 2): "curator",
}


@pytest.mark.parametrize(
    "case", ANOTHER, ids=lambda case: f"{case[0]}-{case[1].__name__}-{case[2]}"
)
def test_a_batch_that_is_not_the_accounted_one_burns_the_round(case: Any) -> None:
    party, fault, shufflers = case
    played = KIT.run(ROWS, shufflers=shufflers, faults={party: fault})
    told = f"{party} delivered another batch to {ANOTHER[case]} than it accounted for"
    assert played.board.burned == told
    assert played.refused(ANOTHER[case], 1) == {Reason.UNEXPECTED: 1}
    assert not played.transcript.reads


def test_a_batch_counts_only_from_the_hop_before() -> None:
    """A shuffler that goes first in another's place is refused, and stops nothing."""
    played = KIT.run(ROWS, shufflers=3, faults={"shuffler-1": Preempting})
    assert played.board.burned is None
    assert played.refused("curator", 1) == {Reason.UNEXPECTED: 1}
    assert played.refused("analyst", 2) == {Reason.UNEXPECTED: 1}
    assert played.results == KIT.run(ROWS, shufflers=3).results


def test_a_tagged_layer_is_dropped_by_the_next_and_counted() -> None:
    """Tagging becomes dropping: the column comes one short, and nobody learns which."""
    played = KIT.run(ROWS, shufflers=2, faults={"shuffler-1": Tagging})
    assert played.refused("shuffler-2", 1) == {Reason.DOES_NOT_OPEN: 1}
    assert sorted(played.board.tallies[0].totals) == [8, 9, 9]
    assert played.board.burned is not None  # and in round 2, one is missing: too few to hide
    assert played.board.burned.startswith("1 of 9 people are missing")


def test_a_dropped_layer_unbalances_the_columns() -> None:
    played = KIT.run(ROWS, faults={"shuffler-1": Dropping})
    assert sorted(played.board.tallies[0].totals) == [8, 9, 9]
    assert played.board.mixed[0].forwarded == 26
    marginals = [sum(count.values()) for count in played.transcript.reads[0].counts]
    assert sorted(marginals) == [8, 9, 9]
    assert played.board.burned is not None


def test_letters_that_are_not_due_are_refused_and_the_batch_still_counts() -> None:
    played = KIT.run(ROWS, faults={"shuffler-1": Foreign})
    assert played.board.burned is None
    assert played.refused("curator", 1) == {Reason.MALFORMED: 1}
    assert Reason.MALFORMED in played.refused("analyst", 2)
    assert played.results[0] == KIT.run(ROWS).results[0]


# The curator


class BoardMonitor(Instrument):
    """Notes the kind of every message."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.burned = ""

    def posted(self, time: float, entry: Entry) -> None:
        if isinstance(entry.message.body, Burned):
            self.burned = entry.message.body.why

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        self.kinds.append(Kind(data[3]))


class Substituting(Endpoint):
    """The curator announces a key of its own in place of the last shuffler's."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Announcement):
            key = suite().keypair(SeededEntropy(99)).public
            body = replace(body, shufflers=(*body.shufflers[:-1], key))
        await super().post(body)


@pytest.mark.parametrize("shufflers", [1, 3])
def test_a_substituted_key_is_noticed_before_anybody_submits(
    shufflers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the board did not compare keys, the shuffler looks for its own."""
    check = Board._check

    def careless(board: Board, author: str, message: Any) -> None:
        if message.kind is not Kind.ANNOUNCEMENT:
            check(board, author, message)

    monkeypatch.setattr(Board, "_check", careless)
    watch = BoardMonitor()
    with suppress(
        Refused, ExceptionGroup
    ):  # of a consent that came after; see the hesitating keyholder below
        KIT.run(ROWS, [watch], shufflers=shufflers, faults={"curator": Substituting})
    robbed = f"shuffler-{shufflers}"
    assert watch.burned == f"{robbed} finds another key than its own in the announcement"
    assert Kind.CALL not in watch.kinds
    assert Kind.SUBMISSION not in watch.kinds


def test_the_board_does_not_take_a_substituted_key() -> None:
    """The curator's own post is refused and counted, and nothing is ever called."""
    watch = BoardMonitor()
    played = KIT.run(ROWS, [watch], faults={"curator": Substituting})
    assert played.board.burned == "the board refused the announcement of curator: unexpected"
    assert played.refused("board", 0) == {Reason.UNEXPECTED: 1}
    assert set(watch.kinds) == {Kind.ROSTER, Kind.KEY, Kind.BURNED, Kind.CLOSED, Kind.HEAD}


class Asking(Endpoint):
    """The curator calls for more columns than it has decided to release."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Call) and body.round == 2:
            body = replace(body, asks=((0, 1, 2),))
        await super().post(body)


def test_a_call_for_more_than_was_decided_is_not_answered() -> None:
    watch = BoardMonitor()
    played = KIT.run(ROWS, [watch], faults={"curator": Asking})
    assert played.board.burned == "the board refused the call of curator: unexpected"
    assert played.refused("board", 2) == {Reason.UNEXPECTED: 1}
    assert watch.kinds.count(Kind.CALL) == 1
    assert watch.kinds.count(Kind.SUBMISSION) == len(ROWS)


class Hesitating(Endpoint):
    """Consents after the curator has stopped waiting."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Consent):
            await trio.sleep(61)
        await super().post(body)


def test_a_consent_after_the_session_burned_is_dropped() -> None:
    played = KIT.run(ROWS, faults={"shuffler-1": Hesitating})
    assert played.board.burned == (
        "shuffler-1 did not consent to the announcement within 60 seconds"
    )
