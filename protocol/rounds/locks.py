r"""Locks: ballots that no party can open before all parties could check their arrival.

    lock of a round   J = sum of the public key shares of its shufflers and reader (joint_key.py)
    innermost layer   for the reader ( locked ballot )
    locked ballot     sealed to J ( padded ballot || token, if any )
    mark              SHA-256("veilmix mark 1\0" || session || round || locked ballot)

The reader is the curator or the analyst, whichever opens the ballots of the round. Every keyholder
(shuffler, curator or analyst) draws a key share for one round, and posts the public part before
users answer.

When the batch has arrived, the curator or analyst posts the mark (hash) of each of its ballots. The
challenge (challenge.py) is the time in which users may prove that a ballot is missing. Only
afterwards do the shufflers post their secret shares. The reader keeps its own secret share: so only
the reader can open the ballots, and only with the secret shares of all shufflers.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...crypto.entropy import Drawn, Entropy
from ...crypto.joint_key import KeyShare, joint, make_share, open_jointly, seal_jointly, total
from ...crypto.keys import SECRET_SIZE
from ...crypto.onion import wrap
from ...errors import ParameterError, Refused
from ..wire.peer_messages import Share
from .round_context import Round

MARK_LABEL = b"veilmix mark 1\0"
SHARE_LABEL = b"veilmix lock 1\0"


def share_context(session: bytes, number: int, party: str) -> bytes:
    """Any party: return the context to which the proof that a party owns its key share is bound.

    session: the digest of the announcement. number: the round. party: its name.
    """
    return SHARE_LABEL + session + bytes([number]) + party.encode()


def draw_share(plan: Round, party: str, entropy: Entropy) -> KeyShare:
    """Shuffler, curator or analyst: draw its share of the key that locks a round's ballots.

    entropy: randomness for this round alone.
    """
    return make_share(entropy, share_context(plan.session, plan.call.round, party))


def locked(plan: Round, shares: Mapping[str, Share]) -> Round | None:
    """Any party: return the round with its lock (joint key); None while a share is missing.

    shares: by party, the public part of its share of the key. All shufflers, and the curator or
    analyst, post a share.
    """
    if not set(plan.openers) <= shares.keys():
        return None
    return replace(plan, lock=joint([shares[party].public for party in plan.openers]))


def mark(plan: Round, ballot: bytes) -> bytes:
    """User, curator or analyst: return the hash that shows that a locked ballot arrived.

    A locked ballot is sealed to the joint key of all shufflers and the curator or analyst. The
    curator or analyst posts the hash of each ballot that arrived.
    """
    place = MARK_LABEL + plan.session + bytes([plan.call.round])
    return hashlib.sha256(place + ballot).digest()


def unlock(plan: Round, secrets: Sequence[bytes], ballots: Sequence[bytes]) -> list[bytes | None]:
    """Curator or analyst: open ballots sealed to the joint key; None for each invalid ballot.

    secrets: the secret key shares of all keyholders (the shufflers, and the curator or analyst).
    """
    secret = total(secrets)
    plaintexts: list[bytes | None] = []
    for ballot in ballots:
        try:
            plaintexts.append(open_jointly(secret, plan.lock, ballot, plan.session))
        except Refused:
            plaintexts.append(None)
    return plaintexts


@dataclass(frozen=True, slots=True)
class Proofs:
    """The data that a user keeps to prove that one of its ballots did not arrive.

    Attributes:
        ballots: the locked ballots (sealed to the round's joint key), one for each query.
        onions: the layers around each ballot, outermost first.
        draws: for each ballot, the sealing randomness of its layers, innermost first.
        draw: the sealing randomness of the envelope around all onions, 32 bytes.
    """

    ballots: tuple[bytes, ...]
    onions: tuple[tuple[bytes, ...], ...]
    draws: tuple[bytes, ...] = field(repr=False)
    draw: bytes = field(repr=False)


def lock_all(plan: Round, plaintexts: Sequence[bytes], entropy: Entropy) -> Proofs:
    """User: seal each ballot to the round's joint key, then add the layers of its onion.

    The joint key belongs to all shufflers and the curator or analyst together. The layers are for
    the curator or analyst and for every shuffler but the first: the first shuffler's layer is the
    envelope around all onions. ParameterError if the joint key of the round is not known yet.
    """
    if not plan.lock:
        raise ParameterError(
            "lock: this round's joint key is not known until all shares are posted"
        )
    ballots = [seal_jointly(plan.lock, plain, plan.session, entropy) for plain in plaintexts]
    draws = [entropy.random(SECRET_SIZE * len(plan.hops[1:])) for _ in ballots]
    onions = [rewrap(plan, *pair) for pair in zip(ballots, draws, strict=True)]
    return Proofs(tuple(ballots), tuple(onions), tuple(draws), entropy.random(SECRET_SIZE))


def rewrap(plan: Round, ballot: bytes, draw: bytes) -> tuple[bytes, ...]:
    """Any party with the sealing randomness: return the layers around a ballot, outermost first.

    The layers are for the curator or analyst and for every shuffler but the first.

    ballot: the ballot, sealed to the round's joint key.
    draw: the randomness with which the user sealed these layers, innermost first.
    """
    return wrap(plan.suite, plan.hops[1:], ballot, Drawn(draw))
