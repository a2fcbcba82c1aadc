"""The misbehaviour of a peer, in a session without central parties.

    absent    posts no more messages, from its round on
    drop      forwards only a share of the onions that it should forward
    tag       flips a bit of an onion before it forwards the onion
    lie       posts the digest of a decision that differs from its own
    provoke   leaves out the ballots that it found, so that their senders accuse the peer

Each attack is a function from a peer's honest post to the post that replaces it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from ....errors import Reason
from ....protocol.peers.agreement import PeerRound, last_step
from ....protocol.peers.onions import bags_of
from ....protocol.wire.messages import Body
from ....protocol.wire.peer_messages import Agreed, FoundBallots, Relay
from ....roles.occasions import NOT_NOTED, Notes, no_note
from ....roles.peer import Commons, PeerSeat

Doing = Callable[[PeerRound, Body, float], Body | None]
Secrets = dict[tuple[int, int], bytes]  # (round, peer number) -> secret part of the round's key


def absent(_plan: PeerRound, _body: Body, _rate: float) -> Body | None:
    """Return None: the peer posts no message."""
    return None


def drop(plan: PeerRound, body: Body, rate: float) -> Body | None:
    """Return a post without a share `rate` of its onions or ballots, at least one.

    The peer's numbers about the remaining onions are true.
    """
    match body:
        case Relay(step=step) if step > 1 and body.layers_forwarded:
            pairs = [(receiver, layer) for receiver, layers in body.bags for layer in layers]
            kept_count = len(pairs) - max(1, round(rate * len(pairs)))
            return replace(body, bags=bags_of(pairs[:kept_count]))
        case FoundBallots() if plan.path == 1 and body.sealed:
            kept_count = len(body.sealed) - max(1, round(rate * len(body.sealed)))
            return replace(body, sealed=body.sealed[:kept_count])
    return body


def tag(plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Return a post in which the last bit of one onion, or of one ballot, is flipped.

    A ballot is changed only if paths have length 1: then no onions are forwarded between peers.
    """
    match body:
        case Relay(step=step) if step > 1 and body.layers_forwarded:
            pairs = [(receiver, layer) for receiver, layers in body.bags for layer in layers]
            receiver, layer = pairs[0]
            return replace(body, bags=bags_of([(receiver, _turned(layer)), *pairs[1:]]))
        case FoundBallots() if plan.path == 1 and body.sealed:
            return replace(body, sealed=tuple(sorted({_turned(body.sealed[0]), *body.sealed[1:]})))
    return body


def _turned(data: bytes) -> bytes:
    """Return bytes with the last bit flipped."""
    return data[:-1] + bytes([data[-1] ^ 1])


def lie(plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Return a peer's last agreement post with a wrong digest of the decision.

    Other posts are returned unchanged.
    """
    if isinstance(body, Agreed) and body.step == last_step(plan.agreement):
        return replace(body, digest=_turned(body.digest))
    return body


def provoke(_plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Return a post without the ballots that the peer found, with the claim that they did not open.

    The senders of these ballots then accuse the peer, and an accusation may reveal data about a
    sender.
    """
    if isinstance(body, FoundBallots) and body.sealed:
        refused = Counter(body.refused) + Counter({Reason.DOES_NOT_OPEN: len(body.sealed)})
        return replace(body, sealed=(), refused=dict(refused))
    return body


class FaultySeat(PeerSeat):
    """A peer that changes its posts to the common board by an attack, in some rounds.

    attacks: round -> the change, and the share of messages that it affects. secrets: the attackers'
    common store of their secret key parts. notes: round -> function that records that the attack is
    carried out.
    """

    def __init__(
        self,
        commons: Commons,
        number: int,
        attacks: Mapping[int, tuple[Doing, float]],
        secrets: Secrets,
        notes: Notes,
    ) -> None:
        """Join the common board as peer `number`, from 1.

        attacks: round -> the change, and the share of messages that it affects, 0 to 1. secrets:
        the attackers' common store of their secret key parts. notes: round -> function that records
        that the attack is carried out.
        """
        super().__init__(commons, number)
        self.attacks = attacks
        self.secrets = secrets
        self.notes = notes

    def holds(self, number: int, secret: bytes) -> None:
        """Share this peer's secret key part of a round with the other attackers."""
        self.secrets[number, self.number] = secret

    def response(self, plan: PeerRound | None, body: Body) -> Body | None:
        """Return the message that this peer posts: the due message, or an attack's change of it.

        plan: the round; None outside a round, where no attack applies.
        """
        if plan is None or plan.call.round not in self.attacks:
            return body
        act, rate = self.attacks[plan.call.round]
        changed_body = act(plan, body, rate)
        if changed_body != body:
            self.notes.get(plan.call.round, no_note)(self.commons.instruments)
        return changed_body


def faulty_peer(
    attacks: Mapping[int, tuple[Doing, float]],
    secrets: Secrets | None = None,
    notes: Notes = NOT_NOTED,
) -> Callable[[Commons, int], PeerSeat]:
    """Return a function that makes a peer with an attack in some rounds.

    attacks: round -> the change, and the share of messages that it affects, 0 to 1. secrets: the
    attackers' common store of their secret key parts. notes: round -> function that records that
    the attack is carried out.
    """
    shared: Secrets = {} if secrets is None else secrets
    return lambda commons, number: FaultySeat(commons, number, attacks, shared, notes)
