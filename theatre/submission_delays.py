"""Delays of submissions: on the live page people send at different moments, to be seen.

A person's endpoint in the network (honest, or with a fault of `scenarios.attacks.faults`) stays as
it is. Only its messages are sent a little later, well within the deadline.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import trio

from ..protocol.peers.agreement import PeerRound, last_step
from ..protocol.rounds.round_context import Round
from ..protocol.wire import parties
from ..protocol.wire.messages import Body
from ..roles.cast import Cast
from ..roles.network.memory_network import Endpoint, Fault, Network
from ..roles.peer import Commons, PeerCast, PeerSeat

# share of a collection's time within which all people send, so that no message comes too late
SPENT = 0.8


def with_delays(cast: Cast, seed: int | None) -> Cast:
    """Return the inputs of a session (`Cast`), changed so that people send one after the other.

    seed: of the drawn order; None: system randomness.
    """
    turns = np.random.default_rng(seed).permutation(cast.people)
    faults = dict(cast.faults)
    for index, turn in enumerate(turns):
        name = parties.user(index)
        share = SPENT * float(turn + 1) / cast.people
        faults[name] = partial(_seat, share, cast.faults.get(name, Endpoint))
    return replace(cast, faults=faults)


def _seat(share: float, inner: Fault, network: Network, party: str) -> Endpoint:
    """Return an endpoint of a party in the network that delays each message.

    share: the delay, as a share of the collection's time. inner: makes the endpoint without a
    delay.
    """
    place = inner(network, party)
    send = place.send

    async def delay_letter(plan: Round, receiver: str, body: Body) -> None:
        """Wait, then send the message."""
        await trio.sleep(share * plan.announcement.rules.deadline)
        await send(plan, receiver, body)

    place.send = delay_letter  # type: ignore[method-assign]
    return place


def with_pauses(cast: PeerCast, seed: int | None) -> PeerCast:
    """Return the inputs of a session, changed so that peers post one after the other in each step.

    The order is drawn once. The time of a collection is divided equally among the steps of a round.
    seed: of the drawn order; None: system randomness.
    """
    turns = np.random.default_rng(seed).permutation(cast.people)
    part = SPENT * cast.agreement.rules.deadline / last_step(cast.agreement)
    seats = {
        parties.peer(index): partial(
            _peer_seat,
            part * float(turn + 1) / cast.people,
            cast.seats.get(parties.peer(index), PeerSeat),
        )
        for index, turn in enumerate(turns)
    }
    return replace(cast, seats=seats)


def _peer_seat(
    pause: float, inner: Callable[[Commons, int], PeerSeat], commons: Commons, number: int
) -> PeerSeat:
    """Return a peer's access to the board that waits before each post.

    pause: seconds. inner: makes the access without a pause. commons: the board shared by all peers.
    number: the number of the peer, from 1.
    """
    seat = inner(commons, number)
    say = seat.say

    async def is_delayed(plan: PeerRound | None, body: Body) -> bool:
        """Wait, then post; return whether the peer goes on."""
        await trio.sleep(pause)
        return await say(plan, body)

    seat.say = is_delayed  # type: ignore[method-assign]
    return seat
