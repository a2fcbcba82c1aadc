"""Signed posts in a session: nobody speaks for another, and a board that lies is found out."""

from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import Signer
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.alarms import check_alarm
from veilmix.protocol.board.board import END, Entry, replay
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import Announcement, Program
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import Mask
from veilmix.protocol.wire.messages import (
    Alarm,
    Body,
    Burned,
    Call,
    Cause,
    Head,
    Kind,
    Mixed,
    Submission,
)
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Schema
from veilmix.protocol.wire.signed_posts import fork_between, sealed_post, sign_head, witness_of
from veilmix.roles.cast import Guards
from veilmix.roles.network.board_stream import OwnStream, Retold
from veilmix.roles.network.memory_network import Endpoint, Network

ROWS = KIT.people(24)
PEOPLE = {name: Signer(SeededEntropy(9).fork(name)) for name in (
    BOARD, "curator", "analyst", "shuffler-1", "shuffler-2"
)}  # fmt: skip
PLAIN = Guards(signed=False)


def test_all_posts_but_those_of_users_are_signed_and_every_head() -> None:
    run = KIT.run(ROWS, shufflers=2)
    board = run.board
    assert board.roster is not None
    assert list(board.heads) == [1, 2, END]
    for entry in board.entries:
        assert (entry.message.seal is None) == isinstance(entry.message.body, Head)
    assert replay(run.transcript.posts, known_roster=board.roster) == board


def test_signatures_change_nothing_that_is_counted() -> None:
    signed, plain = KIT.run(ROWS, shufflers=2), KIT.run(ROWS, shufflers=2, guards=PLAIN)
    assert signed.results == plain.results
    assert signed.ideal() == KIT.ideal(KIT.cast(ROWS, shufflers=2))
    assert plain.board.heads == {}
    assert {entry.message.seal for entry in plain.board.entries} == {None}
    assert signed.board.digest() != plain.board.digest()


def test_a_session_has_identities_of_its_own_or_those_that_are_known() -> None:
    run = KIT.run(ROWS, shufflers=2, identities=PEOPLE)
    assert run.board.roster is not None
    for name, signer in PEOPLE.items():
        assert run.board.roster.key(name) == signer.public
    drawn = KIT.run(ROWS, shufflers=2).board.roster
    assert drawn is not None
    assert drawn.board != PEOPLE[BOARD].public


class Impostor(Endpoint):
    """A shuffler that posts in the curator's name as well."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Mixed) and body.hop == 1:
            number = self.board.calls[-1].round
            message = Message(self.board.session, number, Burned("it is over"))
            data = sealed_post(
                message, self.network.known_roster, "curator", self.identity, self.board.witness
            )
            with pytest.raises(Refused, match="unregistered"):
                self.network.learn("curator", data)
        await super().post(body)


class Stranger(Endpoint):
    """A shuffler whose identity is not the one that everybody knows."""

    async def post(self, body: Body) -> None:
        self.identity = Signer(SeededEntropy(77))
        await super().post(body)


class Silent(Endpoint):
    """A shuffler that signs nothing."""

    def sealed(self, message: Message) -> bytes:
        return message.encode()


def test_nobody_posts_in_anothers_name() -> None:
    run = KIT.run(ROWS, shufflers=2, faults={"shuffler-1": Impostor})
    assert run.results == KIT.run(ROWS, shufflers=2).results


@pytest.mark.parametrize("place", [Stranger, Silent])
def test_a_session_key_that_no_known_identity_has_signed_is_not_taken(place: Any) -> None:
    run = KIT.run(ROWS, shufflers=2, faults={"shuffler-2": place})
    assert run.board.burned is not None
    assert "shuffler-2" not in run.board.keys
    assert run.refused("board", 0)[Reason.UNREGISTERED] >= 1
    assert not [event for event in run.transcript.events if event.kind is Kind.SUBMISSION]


MASK = (Mask(1, ("Oslo",)),)
ASKED = Call(2, Role.CURATOR, ((0, 1), (0, 2), (1, 2)), MASK)
SHOWN = Call(2, Role.CURATOR, ((0, 1), (0, 2), (1, 2)))  # without the mask


class OtherCall(OwnStream):
    """The same board, but with another second call, which the curator has signed too."""

    def hear(self, entry: Entry) -> None:
        if len(self.board.calls) == 2:
            return
        if entry.message.body != ASKED:
            super().hear(entry)
            return
        roster, session = self.board.roster, self.board.session
        assert roster is not None
        sealed = sealed_post(
            *(Message(session, 2, SHOWN), roster),
            *("curator", PEOPLE["curator"], self.board.witness),
        )
        self.board.post("curator", sealed)
        head = sign_head(roster, 2, self.board.state, PEOPLE[BOARD])
        self.board.post(BOARD, Message(session, 2, head).encode())
        self.wake_all()


def two_faced(network: Network, party: str) -> Endpoint:
    """Give the place of an honest user to whom board and curator show another call."""
    network.show(party, OtherCall(network.stream))
    return network.join(party)


def hierarchical(**changes: Any) -> Any:
    from veilmix.protocol.wire.messages import Decision, DecisionCertificate

    class Asking:
        def ask(self, schema: Any, heard: Any) -> Call | None:
            return ASKED if len(heard) == 1 else None

        def decide(self, schema: Any, heard: Any) -> Decision:
            return Decision((0, 2), DecisionCertificate("fixed", 2, len(ROWS), 0))

    fields: dict[str, Any] = {
        "program": Program.HIERARCHICAL,
        "decide": Asking(),
        "shufflers": 2,
        "identities": PEOPLE,
        "rules": KIT.Rules(min_dropout=1),
        "guards": Guards(proves=False, sums=False),
    }
    return KIT.cast(ROWS, **fields | changes)


def test_a_board_that_shows_somebody_another_call_is_proved_to_have_lied() -> None:
    """All signatures hold: what the person sends shows the head that it was shown."""
    run = KIT.run(hierarchical(faults={"user-5": two_faced}))
    (split,) = [alarm for alarm in run.board.alarms if alarm[1].cause is Cause.SPLIT]
    assert split[0] == "shuffler-1"
    check_alarm(run.board, split[1])
    assert run.board.roster is not None
    fork = fork_between(run.board.roster, run.board.heads[2], split[1].evidence)
    fork.check(PEOPLE[BOARD].public)
    assert run.refused("shuffler-1", 2) == {Reason.UNEXPECTED: 1}
    honest = KIT.run(hierarchical())
    assert honest.board.alarms == []
    assert honest.board.burned is None


class Citing(Endpoint):
    """A user that cites heads which the board has not signed."""

    async def send(self, plan: Any, receiver: str, body: Body) -> None:
        assert isinstance(body, Submission)
        lie = {"user-1": b"", "user-2": witness_of(Head(1, bytes(32), bytes(64)))}
        body = replace(body, witness=lie.get(self.party, body.witness))
        await super().send(plan, receiver, body)


def test_heads_that_the_board_has_not_signed_are_refused_and_prove_nothing() -> None:
    faults = {"user-1": Citing, "user-2": Citing}
    run = KIT.run(ROWS, shufflers=2, faults=faults)
    assert run.refused("shuffler-1", 1) == {Reason.UNEXPECTED: 2}
    assert run.board.mixed[0].people == len(ROWS) - 2
    assert run.board.alarms == []


def test_a_registered_user_signs_the_head_that_it_saw() -> None:
    """Or whoever holds the wires could put another in its place, and have it accuse the board."""

    class Exchanged(Endpoint):
        async def send(self, plan: Any, receiver: str, body: Body) -> None:
            assert isinstance(body, Submission)
            assert body.signature
            body = replace(body, witness=b"")
            await super().send(plan, receiver, body)

    guards = Guards(registered=len(ROWS))
    run = KIT.run(ROWS, shufflers=2, guards=guards, faults={"user-1": Exchanged})
    assert run.board.mixed[0].people == len(ROWS) - 1
    assert KIT.run(ROWS, shufflers=2, guards=guards).board.mixed[0].people == len(ROWS)


def test_a_letter_has_no_seal() -> None:
    class Sealing(Endpoint):
        async def send(self, plan: Any, receiver: str, body: Body) -> None:
            message = Message(plan.session, plan.call.round, body)
            data = sealed_post(message, self.network.known_roster, self.party, PEOPLE[BOARD], b"")
            await self.network.carry(self.party, receiver, data)

    run = KIT.run(ROWS, shufflers=2, faults={"user-1": Sealing})
    assert run.refused("shuffler-1", 1) == {Reason.MALFORMED: 1}


def test_an_alarm_of_a_user_needs_no_identity() -> None:
    class Alarmed(Endpoint):
        async def send(self, plan: Any, receiver: str, body: Body) -> None:
            await self.post(Alarm(1, Cause.BALANCE))
            await super().send(plan, receiver, body)

    run = KIT.run(ROWS, shufflers=2, faults={"user-1": Alarmed})
    assert [party for party, _ in run.board.alarms] == ["user-1"]  # the same again is refused
    assert parties.identity_label("board") == "identity of board"


class Withheld(OwnStream):
    """The same board without the heads of calls, as its keeper shows it to one party."""

    def hear(self, entry: Entry) -> None:
        if not isinstance(entry.message.body, Head) and self._board.due is None:
            super().hear(entry)


def test_a_party_that_is_shown_no_head_of_a_call_takes_no_part_in_its_round() -> None:
    """It waits for the head until another party burns, and then reads no letter."""

    def place(network: Network, party: str) -> Endpoint:
        network.show(party, Withheld(network.stream))
        return network.join(party)

    run = KIT.run(ROWS, shufflers=2, faults={"shuffler-1": place})
    assert run.board.burned is not None
    assert run.board.mixed == []
    assert run.refused("shuffler-1", 1) == {}


class Telling(Endpoint):
    """A curator that tells a person of a session with one column less than the one on the board."""

    async def post(self, body: Body) -> None:
        await super().post(body)
        if isinstance(body, Announcement):
            told = replace(body, schema=Schema(body.schema.features[:-1]))
            self.network.show("user-1", Retold(self.network.stream, told))


@pytest.mark.memory  # a lying curator shows one person another post within one process alone
def test_a_person_who_is_told_of_another_schema_raises_an_alarm_and_does_not_answer() -> None:
    faults = {"curator": Telling, "user-1": lambda network, party: network.join(party)}
    run = KIT.run(ROWS, shufflers=2, faults=faults)
    assert run.board.burned is None
    assert run.board.tallies[0].totals == (23, 23, 23)
    assert [(who, alarm.cause) for who, alarm in run.board.alarms] == [
        ("user-1", Cause.ANNOUNCEMENT)
    ]
