r"""The consequences of the board of peers, equal for all: counts, decision, and peers at fault.

The rounds and steps are in agreement.py. A peer is at fault for:

    fault                              evidence
    posting nothing by the deadline    the step that stays incomplete; also a secret that is not
                                       revealed
    wrong onions in step 1             onions of another number or size, or for strangers
    not adding up                      forwarded + refused is not the number of its inputs
    not forwarding an onion            an accusation that proves itself (peer_messages.py)
    accusing without proof             an accusation that does not
    agreeing to another result         another digest than the board gives

Every fault ends the session; completed rounds remain valid. An onion may fail to open on its way,
or hold no ballot at its end. That is its sender's fault if no peer accuses. Then the numbers of
answers and peers differ, which all peers see. But no peer can be named, since the sender is
unknown.

    digest of the decision  SHA-256("veilmix peers agree 1\0" || the message `decision`)
    digest of other counts  SHA-256("veilmix peers agree 1\0" || the message `tally`)
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...crypto.joint_key import joint, total
from ...errors import Refused, RoundBurned
from ..board.promise import check_promise, prove
from ..board.strategies import RoundResult, Strategy, first_call, next_step
from ..wire import parties
from ..wire.announcement import Program
from ..wire.crowd_limits import check_batch_size
from ..wire.frames import Message
from ..wire.messages import Call, Counts, Decision, Tally
from ..wire.peer_messages import Accusation, Agreed, FoundBallots, Relay
from .agreement import ROUTE, PeerRound, last_step, open_peer_round
from .board import PeerBoard, Place, full
from .charge import Charge
from .onions import goes_on, open_ballot, seal_again

AGREE_LABEL = b"veilmix peers agree 1\0"


@dataclass(slots=True)
class Reckoning:
    """The state of a peer session that follows from its board, equal for all peers.

    Attributes:
        board: the posts.
        strategy: the strategy of the agreed program, for queries and decision.
        place: the round and step that is to be judged next.
        call: the call (query) of the round; None: the session is over.
        plan: the sizes, keys and query of the round; None if no round is open.
        mixed: the last round in which ballots could be sealed, aborted or not.
        calls, tallies: the calls and the counts of the rounds that are completed.
        decision: the columns of the release; None before it is made.
        pending: the counts of the present round, after its ballots are open; not yet a result.
        proposed: the decision that follows from the pending counts.
        result: the digest that all have to agree on; empty before there is a result.
        unbalanced: the reason why the pending counts are no result: they do not count each peer
            once; None: they are a result.
        broken: the reason why the pending counts may not be released: the bound on exposed people
            cannot be proved; None: they may be released.
        burned: the reason why a round was aborted; None: no round was aborted.
        charges: the peers at fault in the last judged step.
    """

    board: PeerBoard
    strategy: Strategy
    place: Place = (0, 0)
    call: Call | None = None
    plan: PeerRound | None = None
    mixed: PeerRound | None = None
    calls: list[Call] = field(default_factory=list)
    tallies: list[tuple[Counts, ...]] = field(default_factory=list)
    decision: Decision | None = None
    pending: tuple[Counts, ...] | None = None
    proposed: Decision | None = None
    result: bytes = b""
    unbalanced: str | None = None
    broken: str | None = None
    burned: str | None = None
    charges: tuple[Charge, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the session has ended: a round was aborted, or no query is left."""
        return self.burned is not None or (self.place != (0, 0) and self.call is None)

    def settle(self) -> None:
        """Judge the posts of the present step, and enter the next step.

        Called when the step is complete, or its deadline has passed. A fault ends the session.
        """
        try:
            self._judge()
        except RoundBurned as burned:
            self.burned, self.call, self.plan = str(burned), None, None

    def _judge(self) -> None:
        """Check the posts of the present step and enter the next step.

        RoundBurned, with the names, if peers are at fault.
        """
        if self.place == (0, 0):
            min_batch = max(self.board.agreement.rules.min_batch, self.board.agreement.path + 1)
            check_batch_size(len(self.board.keys), min_batch)
            self._open(1)
            return
        number, step = self.place
        assert self.plan is not None  # noqa: S101 - a round is judged while it is open
        self.charges = tuple(charges(self))
        if self.charges:
            named = "; ".join(f"{charge.peer} {charge.why}" for charge in self.charges)
            raise RoundBurned(f"round {number}, step {step}: {named}")
        if step == 0:
            shares = self.board.shares(number)
            joint_key = joint([shares[peer].public for peer in sorted(shares)])
            self.plan = self.mixed = replace(self.plan, joint=joint_key)
        if step == self.board.agreement.path + 4:
            self._count()
        if step < last_step(self.board.agreement):
            self.place = (number, step + 1)
        else:
            self._close(number)

    def _close(self, number: int) -> None:
        """Accept the agreed counts of the round, and open the next round.

        RoundBurned if some query has not one answer from each peer, or if the bound on exposed
        people cannot be proved for the release. number: the round.
        """
        if amiss := self.unbalanced or self.broken:
            raise RoundBurned(amiss)
        assert self.call is not None and self.pending is not None  # noqa: S101, PT018 - set before
        self.calls.append(self.call)
        self.tallies.append(self.pending)
        self.decision = self.proposed
        self.pending = None
        self._open(number + 1)

    def _open(self, number: int) -> None:
        """Begin the round with this number; the session ends if there is no further query."""
        self.place, self.result = (number, 0), b""
        round_results = [RoundResult(*pair) for pair in zip(self.calls, self.tallies, strict=True)]
        schema, self.call, self.plan = self.board.agreement.schema, None, None
        if number == 1:
            self.call = first_call(Program.TWO_ROUND, schema)
        elif number == 2:
            step = next_step(Program.TWO_ROUND, schema, self.strategy, round_results, self.decision)
            self.call = step if isinstance(step, Call) else None
        if self.call is not None:
            session = self.board.agreement.session(self.board.keys)
            agreement = self.board.agreement
            self.plan = open_peer_round(agreement, session, self.board.keys, self.call)

    def _count(self) -> None:
        """Count the opened ballots of the round, and derive the decision or release from them.

        If some query has not one answer from each peer, the reason is stored in `unbalanced`.
        """
        plan, number = self.plan, self.place[0]
        assert plan is not None  # noqa: S101 - a round is judged while it is open
        secret = total(list(self.board.revealed_secrets(number).values()))
        counts, blanks = count_found(plan, secret, self.board.found_ballots(number))
        people = len(self.board.keys)
        answered = [count.total() for count in counts]
        self.pending = tuple(dict(count) for count in counts)
        if {*answered, people} != {people} or blanks != people * plan.blanks:
            answers_text = ", ".join(f"{answer_count:,}" for answer_count in answered)
            self.unbalanced = (
                f"round {number} does not balance: {answers_text} answers and {blanks:,} blanks of "
                f"{people:,} peers; whoever filled its onions wrongly cannot be named"
            )
        elif number == 1:
            round_results = [RoundResult(plan.call, self.pending)]
            schema = self.board.agreement.schema
            step = next_step(Program.TWO_ROUND, schema, self.strategy, round_results, None)
            assert isinstance(step, Decision)  # noqa: S101 - two-round decides after round 1
            self.proposed = step
        else:
            self._keep_promise(self.pending[0])
        self.result = result_digest(plan, self.pending, self.proposed if number == 1 else None)

    def _keep_promise(self, joint: Counts) -> None:
        """Prove the bound on exposed people again for the release; store the reason if it fails.

        joint: the counts of the release.
        """
        decision, agreed = self.decision, self.board.agreement
        assert decision is not None  # noqa: S101 - round 2 asks for what was decided
        proved = prove(self.strategy, agreed.schema, self.calls, decision, joint)
        try:
            check_promise(agreed.policy, decision, proved)
        except RoundBurned as why:
            self.broken = str(why)


def result_digest(plan: PeerRound, counts: tuple[Counts, ...], decision: Decision | None) -> bytes:
    """Peer: return the digest of a round's result, on which all peers agree.

    The result is the decision; in a round without a decision, the counts.
    """
    totals = tuple(sum(count.values()) for count in counts)
    body = decision or Tally(totals, {}, counts)
    message = Message(plan.session, plan.call.round, body).encode()
    return hashlib.sha256(AGREE_LABEL + message).digest()


def count_found(
    plan: PeerRound, secret: bytes, ballots: dict[int, FoundBallots]
) -> tuple[list[Counter[tuple[str, ...]]], int]:
    """Any party: return the counts of every query, and the number of blank ballots.

    Invalid ballots are skipped. secret: the secret of the joint key, the sum of the secrets that
    all peers revealed. ballots: by peer, the sealed ballots of onions that ended their path there.
    """
    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in plan.call.asks]
    blanks = 0
    for found_ballots in ballots.values():
        for sealed in found_ballots.sealed:
            try:
                ballot = open_ballot(plan, secret, sealed)
            except Refused:
                continue
            if ballot is None:
                blanks += 1
            else:
                counts[ballot.ask][ballot.values] += 1
    return counts, blanks


def charges(reckoning: Reckoning) -> Iterator[Charge]:
    """Any party: yield the peers at fault in the step that is judged, each with a reason.

    reckoning: the state of the session.
    """
    board, (number, step) = reckoning.board, reckoning.place
    bodies = board.bodies(reckoning.place)

    def charge(peer: int, why: str) -> Charge:
        """Return a charge (a peer at fault, with the reason) in the step that is judged."""
        return Charge(parties.peer(peer - 1), number, step, why)

    for accuser, accusation in board.accusations(reckoning.place):
        name = parties.peer(accusation.against - 1)
        if proven(reckoning, accusation):
            yield charge(accusation.against, "did not hand on an onion, as its sender proves")
        else:
            yield charge(accuser, f"accuses {name} without proof")
    if not full(board, number, step):
        for peer in sorted(set(board.keys) - set(bodies)):
            yield charge(peer, "posted nothing by the deadline")
    arrived_layers = board.arrived(number, step - 1 if step <= board.agreement.path else step - 2)
    right = reckoning.result
    if step == board.agreement.path + 1:
        right = board.relays_digest(number)
    elif step == board.agreement.path + 3:
        right = board.found_digest(number)
    for peer, body in sorted(bodies.items()):
        wrong = _wrong(reckoning, peer, body, len(arrived_layers[peer]), right)
        if wrong:
            yield charge(peer, wrong)


def _wrong(reckoning: Reckoning, peer: int, body: object, arrived_count: int, right: bytes) -> str:
    """Return the error in a peer's post, as text; "" without an error.

    arrived_count: the number of layers that arrived at the peer. right: the digest that the peer
    must post in a step of agreement.
    """
    plan, step = reckoning.plan, reckoning.place[1]
    assert plan is not None  # noqa: S101 - a round is judged while it is open
    match body:
        case Relay():
            if not _addressed(plan, peer, body):
                return "sent something that is no onion, or to nobody"
            if step == 1:
                full = body.layers_forwarded == plan.agreement.onions and not body.refused
                return (
                    ""
                    if full
                    else f"sent {body.layers_forwarded} onions of {plan.agreement.onions}"
                )
            return _sums(arrived_count, body.layers_forwarded, sum(body.refused.values()))
        case FoundBallots():
            return _sums(arrived_count, len(body.sealed), sum(body.refused.values()))
        case Agreed(digest=digest):
            agreed = {plan.path + 1: "what was handed on", plan.path + 3: "what was found"}
            subject = agreed.get(step, "what it adds up to")
            return "" if digest == right else f"posted another digest of {subject} than everybody"
    return ""


def _addressed(plan: PeerRound, peer: int, relay: Relay) -> bool:
    """Whether all forwarded layers have the size of their step, and go to other peers."""
    return all(
        receiver in plan.keys
        and receiver != peer
        and all(len(layer) == plan.sizes[relay.step] for layer in layers)
        for receiver, layers in relay.bags
    )


def _sums(arrived_count: int, went: int, refused: int) -> str:
    """Return the error if a peer did not forward or refuse all layers that arrived; else "".

    arrived_count, went, refused: the numbers of arrived, forwarded and refused layers.
    """
    if arrived_count == went + refused:
        return ""
    return f"got {arrived_count} onions, and handed on {went} and refused {refused}"


def proven(reckoning: Reckoning, accusation: Accusation) -> bool:
    """Any party: whether an accusation proves that a peer withheld the content of a layer.

    The layer is sealed again with the randomness in the accusation, and searched among the layers
    that arrived at the accused peer. The content must be valid: otherwise a sender could accuse a
    peer that rightly refused an invalid layer.
    """
    board, plan = reckoning.board, reckoning.plan
    assert plan is not None  # noqa: S101 - a round is judged while it is open
    number, path = plan.call.round, plan.path
    # `opened` maps the step of a post to the step in which its layers arrived. Layers that arrive
    # in step s are forwarded in step s + 1. After the last step L of a path, their ballots are
    # posted in step L + 2.
    opened = {**{s + 1: s for s in range(1, path)}, path + 2: path}
    # An accusation is posted in the step after the missing post, because a peer sees then what is
    # missing.
    due = accusation.step - 1
    if due not in opened or accusation.against not in plan.keys:
        return False
    step = opened[due]
    if not goes_on(plan, accusation.against, step, accusation.inside):
        return False
    layer = seal_again(plan, step, accusation.against, accusation.inside, accusation.draw)
    if layer not in board.arrived(number, step)[accusation.against]:
        return False
    then, inner_layer = int.from_bytes(accusation.inside[:ROUTE], "big"), accusation.inside[ROUTE:]
    return inner_layer not in handed_on(board, number, due, accusation.against, then)


def handed_on(board: PeerBoard, number: int, due: int, peer: int, then: int) -> tuple[bytes, ...]:
    """Any party: return the layers that a peer posted for a receiver in a step.

    number: the round. due: the step. then: the receiver; at the end of a path, the sealed ballots
    are returned instead.
    """
    entry = board.posts.get((number, due), {}).get(peer)
    body = entry.message.body if entry else None
    if isinstance(body, Relay):
        return body.bag(then)
    return body.sealed if isinstance(body, FoundBallots) else ()


def reckon(board: PeerBoard, strategy: Strategy) -> Reckoning:
    """Any party: return the state of a session of peers, derived from its complete board.

    The state has the counts, the decision, and the peers at fault. strategy: the agreed rule for
    queries and decision.
    """
    reckoning = Reckoning(board, strategy)
    while not reckoning.over:
        reckoning.settle()
    return reckoning
