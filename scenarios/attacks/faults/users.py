"""The misbehaviour of users: network access that changes their messages.

The honest role of a user runs unchanged. A fault stands between the role and the network, and
changes the role's messages. `USERS` has the function of each attack. Shufflers are in shuffler.py,
the network in wire.py, the curator in curator.py, peers in peer.py.
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
    """Send no message: the user takes no part in the round."""
    await trio.lowlevel.checkpoint()


async def late(send: Honest, plan: Round, body: Body) -> None:
    """Send a user's message a second after the announced deadline."""
    await trio.sleep(plan.announcement.rules.deadline + 1)
    await send(body)


async def duplicate(send: Honest, _plan: Round, body: Body) -> None:
    """Send a user's message twice, byte for byte."""
    await send(body)
    await send(body)


async def malformed(send: Honest, _plan: Round, body: Body) -> None:
    """Send a user's message with the last bit of its envelope flipped, so that it does not open."""
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
    """The network access of a user that changes its messages by an attack, in some rounds.

    attacks: round -> name of the attack in `USERS`. notes: round -> function that records that the
    attack is carried out.
    """

    def __init__(
        self,
        network: Network,
        party: str,
        attacks: Mapping[int, str],
        notes: Notes = NOT_NOTED,
    ) -> None:
        """Join the network as a user that commits these attacks.

        attacks: round -> name of the attack. notes: round -> function that records the attack.
        """
        super().__init__(network, party)
        self.attacks = attacks
        self.notes = notes

    def _note(self, number: int) -> None:
        """Record that the attack of a round is carried out."""
        self.notes.get(number, no_note)(self.network.instruments)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message honestly, or as the attack of this round changes it."""
        honest = partial(super().send, plan, receiver)
        name = self.attacks.get(plan.call.round, "")
        attack = USERS.get(name) if isinstance(body, Submission) or name == "absent" else None
        if attack is not None:
            self._note(plan.call.round)
        await (attack(honest, plan, body) if attack else honest(body))

    async def post(self, body: Body) -> None:
        """Post a message, except a request for tokens in a round in which the user is absent.

        A token is a blind credential for one submission.
        """
        calls = self.board.calls
        is_absent = self.attacks.get(calls[-1].round if calls else 0) == "absent"
        if not (is_absent and isinstance(body, Ask)):
            await super().post(body)


class Insincere(Endpoint):
    """The network access of a user that seals false ballots, in the rounds of the attack.

    rounds: round -> function that records that the attack is carried out. responses: returns the
    false ballots of a round; None: the true ballots are sent. entropy: the sealing randomness.
    """

    def __init__(
        self,
        network: Network,
        party: str,
        rounds: Notes,
        responses: Callable[[Round], Sequence[Ballot] | None],
        entropy: Entropy,
    ) -> None:
        """Join the network as a user that seals false ballots.

        rounds: round -> function that records that the attack is carried out. responses: returns
        the false ballots of a round; None: the true ballots are sent. entropy: the sealing
        randomness.
        """
        super().__init__(network, party)
        self.rounds_struck = rounds
        self.responses = responses
        self.entropy = entropy

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message; in an attacked round, submit false ballots in place of true ballots."""
        note = self.rounds_struck.get(plan.call.round)
        if isinstance(body, Submission) and note and (responses := self.responses(plan)):
            note(self.network.instruments)
            fresh = sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)
            sealed = enclose(plan, responses, fresh)
            body = submission(plan, sealed.envelope, self.signer)
        await super().send(plan, receiver, body)


def stuffer(rounds: Notes, row: Row, entropy: Entropy) -> Fault:
    """Return the fault of a user that answers the first question in every slot of its message.

    A message has a slot for each question of the round. A round with a single question is not
    changed. rounds: round -> function that records that the attack is carried out. row: the user's
    row. entropy: the sealing randomness.
    """

    def responses(plan: Round) -> list[Ballot] | None:
        """Return the answer to the first question, once for each slot (question) of the message.

        None for a round with a single question.
        """
        slots = len(plan.call.asks)
        return [answers(plan, coarsened_row(plan, row))[0]] * slots if slots > 1 else None

    return lambda network, party: Insincere(network, party, rounds, responses, entropy)


def crafter(rounds: Notes, row: Row, entropy: Entropy) -> Fault:
    """Return the fault of a user that submits `row` in place of its randomized row.

    rounds: round -> function that records that the attack is carried out. entropy: the sealing
    randomness.
    """
    return lambda network, party: Insincere(
        network, party, rounds, lambda plan: answers(plan, coarsened_row(plan, row)), entropy
    )


class Alarmist(Endpoint):
    """The network access of a user that posts groundless alarms after its answer.

    An alarm claims that another party broke a rule. rounds: round -> function that records that the
    attack is carried out. alarms: the groundless alarms.
    """

    def __init__(
        self, network: Network, party: str, rounds: Notes, alarms: Sequence[Alarm]
    ) -> None:
        """Join the network as a user that posts these groundless alarms.

        rounds: round of the alarms -> function that records that the attack is carried out.
        """
        super().__init__(network, party)
        self.rounds_struck = rounds
        self.alarms = alarms

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send the honest message, and post the groundless alarms, which the board may refuse."""
        await super().send(plan, receiver, body)
        if note := self.rounds_struck.get(plan.call.round):
            note(self.network.instruments)
            for alarm in self.alarms:
                await self.post(replace(alarm, round=plan.call.round))


def alarmist(rounds: Notes, alarms: Sequence[Alarm]) -> Fault:
    """Return the fault of a user that posts groundless alarms in some rounds.

    rounds: round -> function that records that the attack is carried out.
    """
    return lambda network, party: Alarmist(network, party, rounds, alarms)


def faulty(attacks: Mapping[int, str], notes: Notes = NOT_NOTED) -> Fault:
    """Return the fault of a user with an attack in some rounds.

    attacks: round -> name of the attack in `USERS`. notes: round -> function that records that the
    attack is carried out.
    """
    return lambda network, party: Faulty(network, party, attacks, notes)


def fault(attack: str, rounds: Collection[int] = EVERY_ROUND, note: Note = no_note) -> Fault:
    """Return the fault of a user with the same attack in some rounds.

    attack: the name of the attack in `USERS`. note: function that records that the attack is
    carried out.
    """
    return faulty(dict.fromkeys(rounds, attack), dict.fromkeys(rounds, note))
