"""Misbehaviour of users: a place in the network that changes their messages.

The role itself stays as it is; a fault stands between it and the network, and changes its messages.
A table has the function of each attack. Shufflers are in shuffler.py, the network in wire.py, the
curator in curator.py, peers in peer.py.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import trio

from ....crypto.entropy import Entropy
from ....protocol.rounds.ballots import Ballot, answers, coarsened_row, enclose
from ....protocol.rounds.registered_users import submission
from ....protocol.rounds.round_context import Round, sealing
from ....protocol.wire.messages import Alarm, Body, Submission
from ....protocol.wire.token_messages import Ask
from ....roles.network.memory_network import EVERY_ROUND, Endpoint, Fault, Network
from ....roles.occasions import NOT_NOTED, Note, Notes, no_note

Honest = Callable[[Body], Awaitable[None]]
Row = Sequence[str]


async def absent(_send: Honest, _plan: Round, _body: Body) -> None:
    """Submit no message."""
    await trio.lowlevel.checkpoint()


async def late(send: Honest, plan: Round, body: Body) -> None:
    """Send when the collection has closed."""
    await trio.sleep(plan.announcement.rules.deadline + 1)
    await send(body)


async def duplicate(send: Honest, _plan: Round, body: Body) -> None:
    """Send the same bytes twice."""
    await send(body)
    await send(body)


async def malformed(send: Honest, _plan: Round, body: Body) -> None:
    """Flip the last bit of the envelope: it has the right size, but it does not open."""
    if isinstance(body, Submission):
        body = replace(body, envelope=body.envelope[:-1] + bytes([body.envelope[-1] ^ 1]))
    await send(body)


USERS: Mapping[str, Callable[[Honest, Round, Body], Awaitable[None]]] = {
    "absent": absent,
    "late": late,
    "duplicate": duplicate,
    "malformed": malformed,
}


class Faulty(Endpoint):
    """A place that sends by an attack, in the rounds of the attack."""

    def __init__(
        self,
        network: Network,
        party: str,
        attacks: Mapping[int, str],
        notes: Notes = NOT_NOTED,
    ) -> None:
        super().__init__(network, party)
        self.attacks = attacks
        self.notes = notes

    def _note(self, number: int) -> None:
        """Record that the attack of a round is carried out."""
        self.notes.get(number, no_note)(self.network.instruments)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send honestly, or hand the message to the attack of this round."""
        honest = partial(super().send, plan, receiver)
        name = self.attacks.get(plan.call.round, "")
        attack = USERS.get(name) if isinstance(body, Submission) or name == "absent" else None
        if attack is not None:
            self._note(plan.call.round)
        await (attack(honest, plan, body) if attack else honest(body))

    async def post(self, body: Body) -> None:
        """Post as every user does, but no request in a round with the attack `absent`."""
        calls = self.board.calls
        is_absent = self.attacks.get(calls[-1].round if calls else 0) == "absent"
        if not (is_absent and isinstance(body, Ask)):
            await super().post(body)


class Insincere(Endpoint):
    """A user's place that seals wrong ballots, in the rounds of the attack."""

    def __init__(
        self,
        network: Network,
        party: str,
        rounds: Notes,
        responses: Callable[[Round], Sequence[Ballot] | None],
        entropy: Entropy,
    ) -> None:
        super().__init__(network, party)
        self.rounds_struck = rounds
        self.responses = responses
        self.entropy = entropy

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Seal other ballots than the due ballots, if there are other ballots."""
        note = self.rounds_struck.get(plan.call.round)
        if isinstance(body, Submission) and note and (responses := self.responses(plan)):
            note(self.network.instruments)
            fresh = sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)
            sealed = enclose(plan, responses, fresh)
            body = submission(plan, sealed.envelope, self.signer)
        await super().send(plan, receiver, body)


def stuffer(rounds: Notes, row: Row, entropy: Entropy) -> Fault:
    """Return the fault of a user that answers the first query in every slot, of several."""

    def responses(plan: Round) -> list[Ballot] | None:
        slots = len(plan.call.asks)
        return [answers(plan, coarsened_row(plan, row))[0]] * slots if slots > 1 else None

    return lambda network, party: Insincere(network, party, rounds, responses, entropy)


def crafter(rounds: Notes, row: Row, entropy: Entropy) -> Fault:
    """Return the fault of a user that submits this row, in place of its randomized row."""
    return lambda network, party: Insincere(
        network, party, rounds, lambda plan: answers(plan, coarsened_row(plan, row)), entropy
    )


class Alarmist(Endpoint):
    """A user's place from which false alarms are raised, in the rounds of the attack."""

    def __init__(
        self, network: Network, party: str, rounds: Notes, alarms: Sequence[Alarm]
    ) -> None:
        super().__init__(network, party)
        self.rounds_struck = rounds
        self.alarms = alarms

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Answer as every user does, and raise the alarms; refused alarms are lost."""
        await super().send(plan, receiver, body)
        if note := self.rounds_struck.get(plan.call.round):
            note(self.network.instruments)
            for alarm in self.alarms:
                await self.post(replace(alarm, round=plan.call.round))


def alarmist(rounds: Notes, alarms: Sequence[Alarm]) -> Fault:
    """Return the fault of a user that raises false alarms."""
    return lambda network, party: Alarmist(network, party, rounds, alarms)


def faulty(attacks: Mapping[int, str], notes: Notes = NOT_NOTED) -> Fault:
    """Return the fault that commits the attack named for each round. notes: by round."""
    return lambda network, party: Faulty(network, party, attacks, notes)


def fault(attack: str, rounds: Collection[int] = EVERY_ROUND, note: Note = no_note) -> Fault:
    """Return the fault that commits an attack in some rounds. note: records each occasion."""
    return faulty(dict.fromkeys(rounds, attack), dict.fromkeys(rounds, note))
