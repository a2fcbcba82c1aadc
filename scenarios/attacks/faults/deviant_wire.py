"""Changes of messages in transit, as a strategy of the attack search demands.

The party `network` changes users' messages. Coalition members change the messages that they
receive.
"""

from dataclasses import dataclass, field, replace

import trio

from ....errors import ParameterError, Refused
from ....protocol.rounds import threshold
from ....protocol.rounds.registered_users import submission
from ....protocol.search.deviation import Action, Deviation
from ....protocol.wire import parties
from ....protocol.wire.frames import Message, decode_message
from ....protocol.wire.messages import Kind, Submission
from ....roles.network.memory_network import Network, Wire
from .deviation import Deviations, deadline_of, is_person
from .member_levels import Row
from .shuffler import covering_rows

# actions of the party `network` on messages in transit
ON_WIRES = (Action.OMIT, Action.DELAY, Action.REPLACE)
INPUT_ACTIONS = (Action.IGNORE, Action.ADD)  # actions of members on messages that they receive


def wire(deviations: Deviations) -> Wire | None:
    """Return the message carrier that carries out deviations in transit; None if there are none."""
    changes_input = any(deviation.do in INPUT_ACTIONS for deviation in deviations.strategy)
    on_wires = any(True for _ in deviations.deviations_by(parties.NETWORK, *ON_WIRES))
    return DeviantWire(deviations) if changes_input or on_wires else None


@dataclass(slots=True)
class DeviantWire(Wire):
    """The message carrier that carries out deviations in transit.

    The party `network` acts on users' messages, and members on the messages that they receive.

    Attributes:
        deviations: the strategy of the coalition.
        added: the deviations and rounds in which an attacker's answer was submitted.
        requested_rows: the rows for which `network` requested key material in users' names, by user
            and round.
    """

    deviations: Deviations
    added: set[tuple[Deviation, int]] = field(default_factory=set)
    requested_rows: dict[tuple[str, int], Row] = field(default_factory=dict)

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Whether a message is delivered. Deviations about the message are carried out first."""
        await trio.lowlevel.checkpoint()
        try:
            message = decode_message(data)
        except Refused:
            return True
        await self._add(network, message, receiver)
        await self._answered(network, message, receiver)
        person = sender if is_person(sender) else receiver
        for deviation in self.deviations.strategy:
            if not _strikes(deviation, message, receiver, person):
                continue
            self.deviations.note(deviation, network.instruments)
            match deviation.do:
                case Action.DELAY:
                    await trio.sleep(deviation.deadlines * deadline_of(network))
                case Action.REPLACE if message.kind is Kind.QUERY:
                    return await self._request_outputs(
                        network, message, sender, receiver, deviation
                    )
                case Action.REPLACE:
                    return await self._replaced(network, message, sender, receiver)
                case _:
                    return False
        return True

    async def _add(self, network: Network, message: Message, receiver: str) -> None:
        """Submit an attacker's answer in the name of an invented person, once in each round."""
        if not isinstance(message.body, Submission):
            return
        for deviation in self.deviations.deviations_by(receiver, Action.ADD):
            number = message.round
            if not deviation.is_in(number) or (deviation, number) in self.added:
                continue
            self.added.add((deviation, number))
            self.deviations.note(deviation, network.instruments)
            plan = network.plan(network.board.calls[number - 1])
            sealed = self.deviations.sealed(plan, covering_rows(plan, 1)[0], "add")
            own_message = replace(message, body=submission(plan, sealed.envelope, None))
            stranger = parties.user(self.deviations.people)
            await network.inject(stranger, receiver, own_message.encode())

    async def _replaced(
        self, network: Network, message: Message, sender: str, receiver: str
    ) -> bool:
        """Deliver an attacker's envelope in place of the user's.

        Returns whether the user's own message is delivered as well: False if it was replaced.
        """
        if not isinstance(message.body, Submission):
            return True
        number = message.round
        plan = network.plan(network.board.calls[number - 1])
        row = covering_rows(plan, parties.index(sender) + 1)[-1]
        try:
            sealed = self.deviations.sealed(plan, row, f"replace {sender}")
        # No answer can be sealed before the round's lock, a common key for ballots, is posted. So
        # the user's own message is delivered.
        except ParameterError:
            return True
        own_message = replace(message, body=replace(message.body, envelope=sealed.envelope))
        await network.inject(sender, receiver, own_message.encode())
        return False

    async def _request_outputs(
        self, network: Network, message: Message, sender: str, receiver: str, deviation: Deviation
    ) -> bool:
        """Ask the party `randomness` about an attacker's row in a user's name.

        `randomness` answers with key material for the row, which is needed to seal a ballot.
        Returns False, because the user's own request is lost.
        """
        number = message.round
        plan = network.plan(network.board.calls[number - 1])
        row = deviation.row or tuple(covering_rows(plan, parties.index(sender) + 1)[-1])
        asking = threshold.ask(plan, row, self.deviations.entropy.fork(f"query {sender} {number}"))
        self.requested_rows[sender, number] = row
        await network.inject(sender, receiver, replace(message, body=asking.body).encode())
        return False

    async def _answered(self, network: Network, message: Message, receiver: str) -> None:
        """Submit a ballot with the attacker's row in a user's name, once `randomness` has answered.

        The answer is key material for the row, and the coalition records that it knows this
        material. If users are registered, the ballot is refused, because only the user can sign it.
        """
        row = self.requested_rows.pop((receiver, message.round), None)
        if row is None:
            return
        self.deviations.consulted.add(row)
        plan = network.plan(network.board.calls[message.round - 1])
        sealed = self.deviations.sealed(plan, row, f"ask {receiver}")
        own_message = replace(message, body=submission(plan, sealed.envelope, None))
        await network.inject(receiver, plan.openers[0], own_message.encode())


def _strikes(deviation: Deviation, message: Message, receiver: str, person: str) -> bool:
    """Whether a deviation applies to a message in transit.

    person: the user that sends or receives the message. receiver: the party that receives it.
    """
    on_wires = deviation.by == parties.NETWORK and deviation.do in ON_WIRES
    ignored = deviation.do is Action.IGNORE and deviation.by == receiver
    about = deviation.message is message.kind and deviation.is_in(message.round)
    return (on_wires or ignored) and about and is_person(person) and deviation.means(person)
