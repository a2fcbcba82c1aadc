"""A network that loses one message."""

from dataclasses import dataclass

import trio
from veilmix.errors import Refused
from veilmix.protocol.wire.frames import decode_message
from veilmix.roles.network.memory_network import Network, Wire
from veilmix.roles.occasions import Note, note_of
from veilmix.scenarios.attacks.catalogue.attack import NETWORK, Attack, aimed
from veilmix.scenarios.attacks.catalogue.fault_entries import target
from veilmix.scenarios.attacks.catalogue.measures import uncounted
from veilmix.scenarios.attacks.catalogue.setup import AttackSetup
from veilmix.scenarios.schema.model import Fault


@dataclass
class LosesOne(Wire):
    """Lose the first message of a user in a round, and no other.

    Attributes:
        user: the user, by name.
        round: the round, from 1.
        note: records that the attack was carried out.
        is_lost: whether the message was lost.
    """

    user: str
    round: int
    note: Note
    is_lost: bool = False

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Whether a message is delivered."""
        await trio.lowlevel.checkpoint()
        if self.is_lost or sender != self.user or round_of(data) != self.round:
            return True
        self.is_lost = True
        self.note(network.instruments)
        return False


def round_of(data: bytes) -> int | None:
    """Return the round of a message, which is not secret; None if the bytes are no message."""
    try:
        return decode_message(data).round
    except Refused:
        return None


def lose_one(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Put the attack on the wires between users and the first shuffler."""
    setup.wires.append(LosesOne(target(entry), entry.round or 1, note_of(number)))


LOSSY = Attack(
    by=NETWORK,
    does="loses one message",
    remedy="`dropout` in a later round; in round 1 nothing: who was not heard cannot prove it",
    scenario="attack-block",
    unit="people not counted",
    waits="a message of the target in that round",
    measure=uncounted,
    reads=("target", "round"),
    stopped_by=("dropout",),
    trials={"": aimed(round=2)},
    commit=lose_one,
)
