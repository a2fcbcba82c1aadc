"""What a party may do wrong: a place in the network that is not quite honest.

The role itself stays as it is; a fault stands between it and the network, and changes what goes
out. One table says what each attack does with a message. Here are users; shufflers are in
shuffler.py, the network in wire.py, the curator in curator.py, peers in peer.py.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial

import trio

from ...crypto.entropy import Entropy
from ...protocol.ballots import answers, enclose
from ...protocol.messages import Body, Submission
from ...protocol.registry import submission
from ...protocol.session import Round, sealing
from ..network import EVERY_ROUND, Endpoint, Fault, Network

Honest = Callable[[Body], Awaitable[None]]
Row = Sequence[str]


async def absent(_send: Honest, _plan: Round, _body: Body) -> None:
    """Say nothing."""
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
    """Turn over the last bit of the envelope: of the right size, but it does not open."""
    if isinstance(body, Submission):
        body = Submission(body.envelope[:-1] + bytes([body.envelope[-1] ^ 1]), body.signature)
    await send(body)


USERS: Mapping[str, Callable[[Honest, Round, Body], Awaitable[None]]] = {
    "absent": absent,
    "late": late,
    "duplicate": duplicate,
    "malformed": malformed,
}
SILENCING = ("absent", "late", "malformed")  # attacks after which a person is not counted


class Faulty(Endpoint):
    """Sends as an attack would have it, in the rounds of the attack."""

    def __init__(self, network: Network, party: str, attacks: Mapping[int, str]) -> None:
        super().__init__(network, party)
        self.attacks = attacks

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send honestly, or hand the message to the attack of this round."""
        honest = partial(super().send, plan, receiver)
        attack = USERS.get(self.attacks.get(plan.call.round, ""))
        await (attack(honest, plan, body) if attack else honest(body))


class Stuffer(Endpoint):
    """A user's place that answers the first question in every slot, in the rounds of the attack."""

    def __init__(
        self, network: Network, party: str, rounds: Collection[int], row: Row, entropy: Entropy
    ) -> None:
        super().__init__(network, party)
        self.rounds_struck = rounds
        self.row = row
        self.entropy = entropy

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Seal other ballots than those that were asked for."""
        if isinstance(body, Submission) and plan.call.round in self.rounds_struck:
            first = answers(plan, self.row)[0]
            fresh = sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)
            stuffed = enclose(plan, [first] * len(plan.call.asks), fresh)
            body = submission(plan, stuffed.envelope, self.signer)
        await super().send(plan, receiver, body)


def stuffer(rounds: Collection[int], row: Row, entropy: Entropy) -> Fault:
    """Give the fault of a user that stuffs its envelopes."""
    return lambda network, party: Stuffer(network, party, rounds, row, entropy)


def faulty(attacks: Mapping[int, str]) -> Fault:
    """Give the fault that commits, in each round, the attack named for it."""
    return lambda network, party: Faulty(network, party, attacks)


def fault(attack: str, rounds: Collection[int] = EVERY_ROUND) -> Fault:
    """Give the fault that commits one attack in some rounds."""
    return faulty(dict.fromkeys(rounds, attack))
