"""People who take their time: on a stage, nobody sends at the same instant as everybody else.

They stand at the place in the network where a fault would stand (roles/faults.py) and only wait
before they send, well within the deadline. What they send, and any fault they have, stays as it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import trio

from ..protocol import parties
from ..protocol.messages import Body
from ..protocol.session import Round
from ..roles.faults import Fault
from ..roles.network import Endpoint, Network
from ..roles.session import Cast

SPENT = 0.8  # of a collection's time; the last person sends then


class Unhurried(Endpoint):
    """Waits for a share of the collection's time, then sends as `inner` would."""

    def __init__(self, share: float, inner: Fault, network: Network, party: str) -> None:
        super().__init__(network, party)
        self._share = share
        self._inner = inner(network, party)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send, a little later."""
        await trio.sleep(self._share * plan.announcement.rules.deadline)
        await self._inner.send(plan, receiver, body)


def unhurried(cast: Cast, seed: int | None) -> Cast:
    """Let the people of a cast send one after the other, in an order drawn for this run."""
    turns = np.random.default_rng(seed).permutation(cast.people)
    faults: Mapping[str, Fault] = {
        parties.user(index): partial(
            Unhurried,
            SPENT * float(turn + 1) / cast.people,
            cast.faults.get(parties.user(index), Endpoint),
        )
        for index, turn in enumerate(turns)
    }
    return replace(cast, faults={**cast.faults, **faults})
