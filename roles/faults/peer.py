"""What a peer may do wrong: a seat at the board that is not quite honest.

absent   posts nothing any more, from its round on
drop     hands on only a share of the onions that it should
tag      turns over a bit of an onion before it hands it on
lie      says that it has decided otherwise
provoke  leaves out the ballots that it found, so that their senders accuse
withhold does not show its secret when all others have
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from ...errors import Reason
from ...protocol.messages import Body
from ...protocol.peer_messages import Agreed, FoundBallots, Relay, ShareSecret
from ...protocol.peers.agreement import PeerRound, last_step
from ...protocol.peers.onions import bags_of
from ..occasions import NOT_NOTED, Notes, no_note
from ..peer import Commons, Seat

Doing = Callable[[PeerRound, Body, float], Body | None]
Secrets = dict[tuple[int, int], bytes]  # by round and number, of the rounds' keys


def absent(_plan: PeerRound, _body: Body, _rate: float) -> Body | None:
    """Say nothing."""
    return None


def drop(plan: PeerRound, body: Body, rate: float) -> Body | None:
    """Lose a share of what is handed on, at least one; its account is honest about the rest."""
    match body:
        case Relay(step=step) if step > 1 and body.sent:
            pairs = [(receiver, layer) for receiver, layers in body.bags for layer in layers]
            kept = len(pairs) - max(1, round(rate * len(pairs)))
            return replace(body, bags=bags_of(pairs[:kept]))
        case FoundBallots() if plan.path == 1 and body.sealed:
            kept = len(body.sealed) - max(1, round(rate * len(body.sealed)))
            return replace(body, sealed=body.sealed[:kept])
    return body


def tag(plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Turn over the last bit of one onion (with paths of one peer, of one ballot)."""
    match body:
        case Relay(step=step) if step > 1 and body.sent:
            pairs = [(receiver, layer) for receiver, layers in body.bags for layer in layers]
            receiver, layer = pairs[0]
            return replace(body, bags=bags_of([(receiver, _turned(layer)), *pairs[1:]]))
        case FoundBallots() if plan.path == 1 and body.sealed:
            return replace(body, sealed=tuple(sorted({_turned(body.sealed[0]), *body.sealed[1:]})))
    return body


def _turned(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def lie(plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Post the digest of another decision."""
    if isinstance(body, Agreed) and body.step == last_step(plan.agreement):
        return replace(body, digest=_turned(body.digest))
    return body


def provoke(_plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Leave out the ballots that it found, as if they had not opened: their senders will accuse."""
    if isinstance(body, FoundBallots) and body.sealed:
        refused = Counter(body.refused) + Counter({Reason.DOES_NOT_OPEN: len(body.sealed)})
        return replace(body, sealed=(), refused=dict(refused))
    return body


def withhold(_plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Keep one's secret of the round's key: all others have shown theirs."""
    return None if isinstance(body, ShareSecret) else body


class FaultySeat(Seat):
    """Posts as an attack would have it, in the rounds of the attack."""

    def __init__(
        self,
        commons: Commons,
        number: int,
        attacks: Mapping[int, tuple[Doing, float]],
        secrets: Secrets,
        notes: Notes,
    ) -> None:
        super().__init__(commons, number)
        self.attacks = attacks
        self.secrets = secrets
        self.notes = notes

    def holds(self, number: int, secret: bytes) -> None:
        """Tell one's secret to those who attack together."""
        self.secrets[number, self.number] = secret

    def response(self, plan: PeerRound | None, body: Body) -> Body | None:
        """Say what is due, or what the attack of this round makes of it."""
        if plan is None or plan.call.round not in self.attacks:
            return body
        act, rate = self.attacks[plan.call.round]
        said = act(plan, body, rate)
        if said != body:
            self.notes.get(plan.call.round, no_note)(self.commons.instruments)
        return said


def faulty_peer(
    attacks: Mapping[int, tuple[Doing, float]],
    secrets: Secrets | None = None,
    notes: Notes = NOT_NOTED,
) -> Callable[[Commons, int], Seat]:
    """Give the seat that does, in each round, one of the above, at a rate from 0 to 1.

    secrets: where those who attack together keep their secrets. notes: by round, say that an
    attack is carried out.
    """
    shared: Secrets = {} if secrets is None else secrets
    return lambda commons, number: FaultySeat(commons, number, attacks, shared, notes)
