"""What a party may do wrong: places in the network that are not quite honest.

The role itself stays as it is; a fault stands between it and the network, and changes what goes
out.
"""

from collections.abc import Callable, Collection
from functools import partial

import trio

from ..protocol.messages import Body, Submission
from ..protocol.session import Round
from .network import Endpoint, Network

Fault = Callable[[Network, str], Endpoint]

EVERY_ROUND: Collection[int] = range(1, 256)


class Absent(Endpoint):
    """Says nothing in some rounds."""

    def __init__(self, network: Network, party: str, rounds: Collection[int] = EVERY_ROUND) -> None:
        super().__init__(network, party)
        self.rounds_hit = rounds

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send nothing in the rounds of the fault."""
        if plan.call.round in self.rounds_hit:
            await trio.lowlevel.checkpoint()
        else:
            await super().send(plan, receiver, body)


class Late(Absent):
    """Sends after the deadline."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Wait until the collection has closed, then send."""
        if plan.call.round in self.rounds_hit:
            await trio.sleep(plan.announcement.rules.deadline + 1)
        await Endpoint.send(self, plan, receiver, body)


class Duplicating(Absent):
    """Sends everything twice."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send, and in the rounds of the fault send again."""
        await Endpoint.send(self, plan, receiver, body)
        if plan.call.round in self.rounds_hit:
            await Endpoint.send(self, plan, receiver, body)


class Malformed(Absent):
    """Sends an envelope with one bit turned over: of the right size, but it does not open."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Turn over the last bit of the envelope in the rounds of the fault."""
        if plan.call.round in self.rounds_hit and isinstance(body, Submission):
            body = Submission(body.envelope[:-1] + bytes([body.envelope[-1] ^ 1]))
        await Endpoint.send(self, plan, receiver, body)


FAULTS: dict[str, type[Absent]] = {
    "absent": Absent,
    "late": Late,
    "duplicate": Duplicating,
    "malformed": Malformed,
}


def fault(attack: str, rounds: Collection[int] = EVERY_ROUND) -> Fault:
    """Give the fault of this name, in these rounds."""
    return partial(FAULTS[attack], rounds=rounds)
