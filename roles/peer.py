"""A peer: user, shuffler, curator and analyst in one party, among other peers.

There is no network but the board: all messages are posted there, and every peer computes the same
results from it (protocol/peers/accounting.py). A step ends when all have posted, or at its
deadline.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from ..crypto.entropy import Entropy
from ..crypto.joint_key import KeyShare, make_share
from ..crypto.keys import KeyPair, SecretKey
from ..crypto.suites import suite_by_code
from ..errors import Refused
from ..protocol.board.phases import BOARD
from ..protocol.board.strategies import DecisionRule, Strategy, strategy_of
from ..protocol.knowledge.transcript import Refusal, SealedAnswers, names_of
from ..protocol.peers.accounting import Reckoning, handed_on
from ..protocol.peers.agreement import Agreement, PeerRound, last_step
from ..protocol.peers.board import PeerBoard, Place, full
from ..protocol.peers.onions import BLANK, Onion, StepResult, accuse, bags_of, make_onions, pass_on
from ..protocol.rounds.round_context import sealing
from ..protocol.wire import parties
from ..protocol.wire.frames import NO_SESSION, Message
from ..protocol.wire.messages import Body, Key
from ..protocol.wire.peer_messages import (
    Accusation,
    Agreed,
    FoundBallots,
    Relay,
    Share,
    ShareSecret,
)
from .compute.event_loop import run_loop
from .compute.simulated_clock import VirtualClock
from .compute.worker_pool import WorkerPool, worker_pool
from .network.instruments import Instrument, Instruments
from .people import Row

Making = tuple[int, Row, Entropy]
Opening = tuple[int, SecretKey, Sequence[bytes]]


class Commons:
    """The shared board of a peer session, and results computed from it once for all peers."""

    def __init__(self, agreement: Agreement, strategy: Strategy, instruments: Instruments) -> None:
        """Start with an empty board. strategy: decides on the next query, or on the release."""
        self.board = PeerBoard(agreement)
        self.reckoning = Reckoning(self.board, strategy)
        self.instruments = instruments
        self._ends: dict[Place, trio.Event] = {}
        self._arrived: dict[Place, Mapping[int, list[bytes]]] = {}
        self._making: dict[int, Callable[[Sequence[Making]], list[list[Onion]]]] = {}
        self._opening: dict[Place, Callable[[Sequence[Opening]], list[StepResult]]] = {}

    def post(self, author: str, data: bytes) -> None:
        """Put a peer's post on the shared board; Refused if the board does not accept it."""
        entry = self.board.post(author, data)
        now = trio.current_time()
        self.instruments.notify(lambda instrument: instrument.carried(now, author, BOARD, data))
        self.instruments.notify(lambda instrument: instrument.posted(now, entry))
        place = self.board.place
        if place != (0, 0) and full(self.board, *place):
            self._end(place).set()

    def _end(self, place: Place) -> trio.Event:
        """Return the event that is set when a step (round, step) is complete."""
        return self._ends.setdefault(place, trio.Event())

    async def finished(self, place: Place) -> None:
        """Wait until all peers have posted in a step, or its time is up; then evaluate the step."""
        with trio.move_on_after(self.board.agreement.rules.deadline):
            await self._end(place).wait()
        if self.reckoning.place == place and not self.reckoning.over:
            self.reckoning.settle()

    def arrived(self, number: int, step: int, peer: int) -> list[bytes]:
        """Return the layers that arrived at a peer in a step."""
        place = number, step
        if place not in self._arrived:
            self._arrived[place] = self.board.arrived(*place)
        return self._arrived[place][peer]

    def making(self, plan: PeerRound) -> Callable[[Sequence[Making]], list[list[Onion]]]:
        """Return the function that makes a round's onions.

        It is the same object for all peers, so that the worker pool can do their jobs together.
        """
        work = partial(_make_all, plan)
        return self._making.setdefault(plan.call.round, work)

    def opening(
        self, plan: PeerRound, step: int
    ) -> Callable[[Sequence[Opening]], list[StepResult]]:
        """Return the function that opens the layers of a step.

        It is the same object for all peers, so that the worker pool can do their jobs together.
        """
        work = partial(_open_all, plan, step)
        return self._opening.setdefault((plan.call.round, step), work)


def _make_all(plan: PeerRound, jobs: Sequence[Making]) -> list[list[Onion]]:
    """Return the onions of each peer. jobs: number, row and randomness of each peer."""
    return [make_onions(plan, me, row, entropy) for me, row, entropy in jobs]


def _open_all(plan: PeerRound, step: int, jobs: Sequence[Opening]) -> list[StepResult]:
    """Return the results of opening the layers that arrived at each peer in a step.

    jobs: for each peer its number, its secret key, and the layers that arrived.
    """
    return [pass_on(plan, me, secret, step, arrived) for me, secret, arrived in jobs]


class PeerSeat:
    """The access of a peer to the board.

    An attack replaces it by a subclass that deviates (scenarios/attacks/faults/peer.py).
    """

    def __init__(self, commons: Commons, number: int) -> None:
        """Keep the shared board and the number of the peer."""
        self.commons = commons
        self.number = number

    @property
    def name(self) -> str:
        """The name of the peer."""
        return parties.peer(self.number - 1)

    @property
    def reckoning(self) -> Reckoning:
        """The state that follows from the board, which every peer computes."""
        return self.commons.reckoning

    def seals(self, plan: PeerRound, onions: list[Onion]) -> list[Onion]:  # noqa: ARG002
        """Return the onions that the peer sends in a round; an attack may replace them."""
        return onions

    def holds(self, number: int, secret: bytes) -> None:
        """Receive the peer's secret share of a round's key, at the start of round `number`.

        An honest peer ignores it here, and posts the share in a later step. An attacker overrides
        this method, to pool its share with other attackers.
        """

    def response(self, plan: PeerRound | None, body: Body) -> Body | None:  # noqa: ARG002
        """Return the content that the peer posts when `body` is due; an attack may change it.

        None: the peer does not post, and leaves.
        """
        return body

    async def say(self, plan: PeerRound | None, body: Body) -> bool:
        """Post a message on the board; False if the peer cannot, and leaves.

        plan: the round; None: before round 1.
        """
        response = self.response(plan, body)
        if response is None:
            return False
        session, number = (plan.session, plan.call.round) if plan else (NO_SESSION, 0)
        try:
            self.commons.post(self.name, Message(session, number, response).encode())
        except Refused as refusal:
            refused = Refusal(BOARD, number, refusal.reason)
            self.commons.instruments.notify(lambda instrument: instrument.refused(refused))
            return False
        await trio.lowlevel.checkpoint()
        return True


@dataclass(frozen=True, slots=True)
class PeerCast:
    """The inputs of a session of peers.

    Attributes:
        agreement: the terms that all peers know beforehand.
        people: the number of peers.
        row: the values of the person with an index from 0 to people - 1.
        decide: the rule or the strategy of the program.
        entropy: the source of every key, salt and path.
        absent: the indices of persons that never take part.
        seats: by name of an attacking peer, the function that makes its `PeerSeat`.
        threads: the number of threads that open and seal; None: as many as cores.
    """

    agreement: Agreement
    people: int
    row: Callable[[int], Row]
    decide: DecisionRule | Strategy
    entropy: Entropy
    absent: frozenset[int] = frozenset()
    seats: Mapping[str, Callable[[Commons, int], PeerSeat]] = field(default_factory=dict)
    threads: int | None = None


def play_peers(
    cast: PeerCast,
    instruments: Sequence[Instrument] = (),
    report: Callable[[str], None] = lambda _: None,
    clock: trio.abc.Clock | None = None,
) -> Reckoning:
    """Play a session of peers to its end; return the state that follows from its board.

    report: gets the message about an observer that crashed.
    """
    watching = Instruments(list(instruments), report)
    return run_loop(gather, cast, watching, clock=clock or VirtualClock())


async def gather(cast: PeerCast, instruments: Instruments) -> Reckoning:
    """Run every peer until all have finished; return the state that follows from the board."""
    commons = Commons(cast.agreement, strategy_of(cast.decide), instruments)
    scheme = suite_by_code(cast.agreement.suite)
    async with worker_pool(cast.threads, instruments) as pool, trio.open_nursery() as nursery:
        for index in sorted(set(range(cast.people)) - cast.absent):
            name = parties.peer(index)
            seat = cast.seats.get(name, PeerSeat)(commons, index + 1)
            pair = scheme.keypair(cast.entropy.fork(parties.key_label(name)))
            fresh = cast.entropy.fork(name)
            nursery.start_soon(peer, seat, pair, cast.row(index), fresh, pool, name=name)
    if commons.reckoning.place == (0, 0) and not commons.reckoning.over:
        commons.reckoning.settle()  # without participants the session ends here
    return commons.reckoning


async def peer(seat: PeerSeat, pair: KeyPair, row: Row, entropy: Entropy, pool: WorkerPool) -> None:
    """Run a peer: post a key; then, round by round, seal, mix, read, count and decide.

    Paper 000, Section 8.3: "the participants, the curator, and the analyst, are all the same
    entity".
    """
    if not await seat.say(None, Key(pair.public)):
        return
    await seat.commons.finished((0, 0))
    while (plan := seat.reckoning.plan) is not None:
        fresh = sealing(entropy.fork(f"round-{plan.call.round}"), plan.session)
        if not await _round(seat, plan, pair.secret, row, fresh, pool):
            return


async def _round(
    seat: PeerSeat, plan: PeerRound, secret: SecretKey, row: Row, entropy: Entropy, pool: WorkerPool
) -> bool:
    """Take part in a round to its last step; False if the peer leaves."""
    number, commons = plan.call.round, seat.commons
    share = make_share(entropy.fork("share"), commons.board.owner(number, seat.number))
    if not await seat.say(plan, Share(share.public, share.proof)):
        return False
    seat.holds(number, share.secret)
    await commons.finished((number, 0))
    if seat.reckoning.place != (number, 1) or seat.reckoning.plan is None:
        return True
    plan = seat.reckoning.plan
    sealed = await pool.share(commons.making(plan), (seat.number, row, entropy))
    onions = seat.seals(plan, sealed)
    sealed_answers = _sealed_record(seat.number, number, onions)
    commons.instruments.notify(lambda instrument: instrument.sealed(sealed_answers))
    body: Body = Relay(1, bags_of([(onion.path[0], onion.layers[0]) for onion in onions]), {})
    for step in range(1, last_step(plan.agreement) + 1):
        if not await seat.say(plan, body):
            return False
        await commons.finished((number, step))
        if seat.reckoning.place != (number, step + 1):
            return True
        body = loss_proof(seat.commons.board, plan, onions, step) or await _next(
            seat, plan, secret, share, step + 1, pool
        )
    return True


async def _next(
    seat: PeerSeat, plan: PeerRound, secret: SecretKey, share: KeyShare, step: int, pool: WorkerPool
) -> Body:
    """Return the content that an honest peer posts in step `step`, which is not the first."""
    number, board = plan.call.round, seat.commons.board
    if step == plan.path + 1:
        return Agreed(step, board.relays_digest(number))
    if step == plan.path + 3:
        return Agreed(step, board.found_digest(number))
    if step == plan.path + 4:
        return ShareSecret(step, share.secret)
    if step == last_step(plan.agreement):
        return Agreed(step, seat.reckoning.result)
    opened = min(step - 1, plan.path)
    job = (seat.number, secret, seat.commons.arrived(number, opened, seat.number))
    passed = await pool.share(seat.commons.opening(plan, opened), job)
    for reason, count in passed.refused.items():
        refused = Refusal(seat.name, number, reason, count)
        seat.commons.instruments.notify(lambda tool, refused=refused: tool.refused(refused))  # type: ignore[misc]
    if step <= plan.path:
        return Relay(step, passed.bags, passed.refused)
    return FoundBallots(step, passed.sealed, passed.refused)


def loss_proof(
    board: PeerBoard, plan: PeerRound, onions: Sequence[Onion], step: int
) -> Accusation | None:
    """Peer: return the proof that a complete step did not forward an onion of this peer.

    None: the step forwarded all its onions.
    """
    number, path = plan.call.round, plan.path
    for onion in onions:
        if 2 <= step <= path:
            holder, then, layer = onion.path[step - 2], onion.path[step - 1], onion.layers[step - 1]
            if layer not in handed_on(board, number, step, holder, then):
                return accuse(onion, step - 1, step + 1)
        elif step == path + 2 and onion.sealed not in handed_on(
            board, number, step, onion.path[-1], 0
        ):
            return accuse(onion, path, step + 1)
    return None


def _sealed_record(number: int, round_: int, onions: Sequence[Onion]) -> SealedAnswers:
    """Return the record of a peer's sealed answers: for each onion, layer names and the answer."""
    layers = [layer for onion in onions for layer in onion.layers]
    answers = tuple(
        (BLANK, ()) if onion.answer is None else (onion.answer.ask, onion.answer.values)
        for onion in onions
    )
    return SealedAnswers(number - 1, round_, names_of(layers), answers)
