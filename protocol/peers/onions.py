"""Onions among peers: each is sealed by its sender for a random path of peers that open it in turn.

    inside of a layer   u16 number of the next peer (0: the path ends here) || next layer, or ballot
    ballot              sealed to the joint key of the round (crypto/joint_key.py)
    blank ballot        ff || salt || padding, before it is sealed

A path is L different peers without the sender, where L is the agreed length. Every peer is equally
likely at each place. All layers that arrive in a step have the same size.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...crypto.entropy import Drawn, Entropy
from ...crypto.joint_key import open_jointly, seal_jointly
from ...crypto.keys import SecretKey
from ...crypto.layer import open_layers, seal_layer
from ...crypto.padding import pad, unpad
from ...errors import ParameterError, Reason, Refused
from ..rounds.ballots import Ballot, fresh_salts, parse_ballot, write_ballot
from ..rounds.round_context import SALT
from ..wire.peer_messages import DRAW, Accusation, Bags
from .agreement import PATH_END, ROUTE, PeerRound

BLANK = 0xFF  # byte in place of a query's number, in a ballot without an answer
# random bytes for drawing a number below n <= 2**16; reducing them modulo n favours some numbers by
# at most 2**-112
FAIR = 16


class Onion(NamedTuple):
    """An onion with all its secrets, as only its sender knows it.

    Attributes:
        path: the peers that open it, in order.
        layers: layers[s - 1]: the layer that arrives in step s.
        inside: inside[s - 1]: the content of that layer.
        draws: draws[s - 1]: the randomness that sealed that layer.
        answer: the ballot in the onion; None if it is blank.
    """

    path: tuple[int, ...]
    layers: tuple[bytes, ...]
    inside: tuple[bytes, ...]
    draws: tuple[bytes, ...]
    answer: Ballot | None

    @property
    def sealed(self) -> bytes:
        """The sealed ballot that remains after the last layer is opened."""
        return self.inside[-1][ROUTE:]


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outputs of a peer after opening the layers that arrived in a step.

    Attributes:
        bags: the layers to forward, by receiver.
        sealed: the sealed ballots of onions that end their path at this peer.
        refused: number of refused layers, by reason.
    """

    bags: Bags
    sealed: tuple[bytes, ...]
    refused: Mapping[Reason, int]


def draw_path(me: int, peers: Sequence[int], length: int, entropy: Entropy) -> tuple[int, ...]:
    """Peer: return a random path of different peers without the sender, each order equally likely.

    me: the sender's number. peers: all peers that take part, in ascending order. length: the number
    of peers in the path. ParameterError if there are too few peers.
    """
    candidates = [peer for peer in peers if peer != me]
    if length > len(candidates):
        raise ParameterError(
            f"path: found {length} peers, but there are {len(candidates)} others; a shorter path "
            "is accepted"
        )
    path = []
    for _ in range(length):
        place = int.from_bytes(entropy.random(FAIR), "big") % len(candidates)
        path.append(candidates.pop(place))
    return tuple(path)


def make_onions(plan: PeerRound, me: int, row: Sequence[str], entropy: Entropy) -> list[Onion]:
    """Peer: return an onion for every answer of the round, and blank onions without an answer.

    me: the peer's number. row: the peer's values by column, before generalization.
    """
    row = plan.agreement.schema.coarsen(row)
    answers: list[Ballot | None] = [
        Ballot(ask, tuple([row[column] for column in columns]))
        for ask, columns in enumerate(plan.call.asks)
    ]
    answers += [None] * plan.blanks
    return [make_onion(plan, me, answer, entropy) for answer in answers]


def make_onion(plan: PeerRound, me: int, answer: Ballot | None, entropy: Entropy) -> Onion:
    """Peer: seal a ballot for a random path of peers; if `answer` is None, a blank ballot.

    me: the peer's number.
    """
    (salt,) = fresh_salts(entropy, 1)
    if answer is None:
        plain = pad(bytes((BLANK,)) + salt, plan.ballot)
    else:
        plain = write_ballot(answer, salt, plan.ballot)
    return wrap_path(plan, draw_path(me, sorted(plan.keys), plan.path, entropy), plain, entropy)


def wrap_path(plan: PeerRound, path: tuple[int, ...], plain: bytes, entropy: Entropy) -> Onion:
    """Peer: seal a padded ballot to the joint key, then for the peers of a path, the last first.

    plain: the padded ballot. path: the peers by number.
    """
    # the source of randomness is named after the ballot, whose salt is fresh: so no two ballots
    # share randomness
    fresh = entropy.fork(f"sealing {plain.hex()}")
    layer, then = seal_jointly(plan.joint, plain, plan.ballots, fresh), PATH_END
    wrappings = list[tuple[bytes, bytes, bytes]]()
    for step in range(len(path), 0, -1):
        content, drawn = then.to_bytes(ROUTE, "big") + layer, entropy.random(DRAW)
        layer, then = seal_again(plan, step, path[step - 1], content, drawn), path[step - 1]
        wrappings.append((layer, content, drawn))
    try:
        answer = read_plain(plan, plain)
    except Refused:
        answer = None
    layers, inside, draws = zip(*reversed(wrappings), strict=True)
    return Onion(path, layers, inside, draws, answer)


def seal_again(plan: PeerRound, step: int, peer: int, content: bytes, drawn: bytes) -> bytes:
    """Any party: rebuild the layer that a peer opens in a step, from its content and randomness.

    drawn: the randomness with which the sender sealed the layer, 32 bytes.
    """
    return seal_layer(plan.suite, plan.keys[peer], content, plan.contexts[step], Drawn(drawn))


def open_ballot(plan: PeerRound, secret: bytes, sealed: bytes) -> Ballot | None:
    """Any party with all secrets: return the answer in a sealed ballot; None for a blank.

    Refused if invalid. secret: the sum of all peers' secret shares of the joint key.
    """
    return read_plain(plan, open_jointly(secret, plan.joint, sealed, plan.ballots))


def read_plain(plan: PeerRound, plain: bytes) -> Ballot | None:
    """Any party: return the answer in a padded ballot; None for a blank. Refused if invalid."""
    if len(plain) != plan.ballot:
        raise Refused(Reason.WRONG_SIZE)
    data = unpad(plain)
    if data[:1] == bytes((BLANK,)) and len(data) == 1 + SALT:
        return None
    return parse_ballot(plan, data)


def bags_of(pairs: Sequence[tuple[int, bytes]]) -> Bags:
    """Peer: group layers by receiver, sorted, each layer once.

    pairs: the receiver's number, and the layer.
    """
    bags: dict[int, set[bytes]] = {}
    for receiver, layer in pairs:
        bags.setdefault(receiver, set()).add(layer)
    return tuple((receiver, tuple(sorted(bags[receiver]))) for receiver in sorted(bags))


def pass_on(
    plan: PeerRound, me: int, secret: SecretKey, step: int, arrived: Sequence[bytes]
) -> StepResult:
    """Peer: open the layers that arrived in a step; refuse and count invalid layers and repeats.

    me: the peer's number. secret: the peer's private key.
    """
    unique = sorted(set(arrived))
    right = [layer for layer in unique if len(layer) == plan.sizes[step]]
    opened = open_layers(secret, right, plan.contexts[step])
    pairs, refused = list[tuple[int, bytes]](), Counter[Reason]()
    refused[Reason.WRONG_SIZE] = len(unique) - len(right)
    for content in opened:
        if content is None:
            refused[Reason.DOES_NOT_OPEN] += 1
        elif not goes_on(plan, me, step, content):
            refused[Reason.MALFORMED] += 1
        else:
            pairs.append((int.from_bytes(content[:ROUTE], "big"), content[ROUTE:]))
    refused[Reason.DUPLICATE] = len(arrived) - len(unique) + len(pairs) - len(set(pairs))
    counts = {reason: count for reason, count in refused.items() if count}
    if step < plan.path:
        return StepResult(bags_of(pairs), (), counts)
    return StepResult((), tuple(sorted({sealed for _, sealed in pairs})), counts)


def goes_on(plan: PeerRound, peer: int, step: int, content: bytes) -> bool:
    """Any party: whether a peer must forward the content of an opened layer.

    The content must have the right size. In the last step the content must name the end of the
    path; before that, another peer of the session. peer: the peer that opened the layer.
    """
    then = int.from_bytes(content[:ROUTE], "big")
    right = then in plan.keys and then != peer if step < plan.path else then == PATH_END
    return right and len(content) == ROUTE + plan.sizes[step + 1]


def accuse(onion: Onion, step: int, now: int) -> Accusation:
    """Peer: return the accusation that a peer did not forward the content of a layer of its onion.

    It shows the content, and the randomness that sealed the layer, so that every peer can check
    it. step: the step in which the layer arrived at the accused peer. now: the step of the
    accusation, which follows the step in which the content was due.
    """
    content, drawn = onion.inside[step - 1], onion.draws[step - 1]
    return Accusation(now, onion.path[step - 1], content, drawn)
