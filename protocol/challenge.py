r"""The challenge: who is missing among what has come can prove it, and then nothing is opened.

    accepted   the first shuffler posts, for everybody whose envelope it takes: place in the
               registry, SHA-256(envelope), the person's signature over it
    heard      the reader posts the marks of the locked ballots that reached it (locks.py)
    changed    an alarm: somebody's accepted envelope, and a ballot of it that is not among them
    shown      nobody has proved any: the shufflers show their shares, and the reader opens

Every keyholder judges for itself before it shows anything: that registered people have signed what
was accepted, that they are those of earlier rounds (or fewer by `min_dropout`), that no more came
than they sent, and that no alarm holds. As everybody who was accepted finds its own, and no more
came, what came is what was sent. That assumes that everybody sees the marks in time: a complaint
that is raised after shares are shown hands its ballot to the reader (docs/attacks.md, S2).

    evidence = u32 person || blob locked ballot || its draws, 32 bytes a layer, innermost first
               || the envelope's draw (32) || items: the person's other onions

Whoever is given this seals the layers again, up to the envelope. What it shows is sealed to a lock
that nobody will open: the round is burned. A false alarm seals to no accepted envelope, or shows a
ballot that has come: it ends nothing.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..crypto.entropy import Drawn
from ..crypto.keys import SECRET_SIZE
from ..crypto.onion import wrap
from ..crypto.signing import verify_signature
from ..errors import ParameterError, Reason, Refused, RoundBurned
from .ballots import bundle
from .crowd_limits import check_batch_size, too_few
from .locks import Proofs, mark, rewrap
from .messages import Accepted, Alarm, BallotMarks, Envelope, Registry, Submission
from .registry import signed_digest
from .session import Round, open_round
from .wire import Reader, Writer, decode

if TYPE_CHECKING:
    from .board import Board


def accept(index: int, sent: Submission) -> Envelope:
    """First shuffler: what it posts of an envelope that it takes."""
    return Envelope(index, hashlib.sha256(sent.envelope).digest(), sent.signature)


def check_envelopes(
    plan: Round, registry: Registry, accepted: Sequence[Envelope]
) -> list[Reason | None]:
    """Keyholder: per envelope None, or why it is none that a registered person has signed."""
    reasons: list[Reason | None] = []
    for envelope in accepted:
        try:
            signed = signed_digest(plan, envelope.digest)
            verify_signature(registry.keys[envelope.person], signed, envelope.signature)
        except Refused as refusal:
            reasons.append(refusal.reason)
        else:
            reasons.append(None)
    return reasons


def check_people(accepted: Accepted, before: Sequence[Accepted], least: int, batch: int) -> None:
    """Keyholder: RoundBurned unless enough people were accepted, and those of earlier rounds.

    before: earlier rounds of the same people. least: the smallest number of people who may come or
    go together. A first shuffler that takes one out for another who was not there changes two.
    """
    here = frozenset(envelope.person for envelope in accepted.people)
    check_batch_size(len(here), batch)
    for earlier in before:
        apart = len(here ^ {envelope.person for envelope in earlier.people})
        if too_few(apart, least):
            raise RoundBurned(
                f"{apart} people were accepted in one of two rounds only: fewer than {least} "
                "could be told apart by subtracting the two rounds"
            )


def evidence(person: int, proofs: Proofs, slot: int) -> bytes:
    """Person: the proof that one of its ballots was in its envelope."""
    others = [layers[0] for at, layers in enumerate(proofs.onions) if at != slot]
    out = Writer().u32(person).blob(proofs.ballots[slot]).raw(proofs.draws[slot]).raw(proofs.draw)
    return out.items(sorted(others)).done()


def missing(plan: Round, heard: BallotMarks, proofs: Proofs) -> int | None:
    """Person: the first of its ballots that has not come; None: all have."""
    came = set(heard.hashes)
    gone = (at for at, ballot in enumerate(proofs.ballots) if mark(plan, ballot) not in came)
    return next(gone, None)


def changed(board: "Board", alarm: Alarm) -> bool:
    """Anybody: whether a ballot of somebody's accepted envelope is not among those that came."""
    shown = board.challenged
    accepted, heard = shown.accepted.get(alarm.round), shown.heard.get(alarm.round)
    if accepted is None or heard is None or board.announcement is None:
        return False
    plan = open_round(board.announcement, board.session, board.calls[alarm.round - 1])
    try:
        person, ballot, envelope = decode(alarm.evidence, lambda data: _rebuilt(plan, data))
    except (Refused, ParameterError):
        return False
    digest = hashlib.sha256(envelope).digest()
    taken = any((known.person, known.digest) == (person, digest) for known in accepted.people)
    return taken and mark(plan, ballot) not in heard.hashes


def _rebuilt(plan: Round, data: Reader) -> tuple[int, bytes, bytes]:
    """The person, its locked ballot, and the envelope that evidence leads to; Refused if none."""
    person, ballot = data.u32(), data.blob()
    layers = rewrap(plan, ballot, data.raw(SECRET_SIZE * len(plan.hops[1:])))
    draw, others = data.raw(SECRET_SIZE), data.items()
    if {len(layer) for layer in (*others, layers[0])} != {plan.inner[2]}:
        raise Refused(Reason.WRONG_SIZE)
    onions = sorted({*others, layers[0]})
    if len(onions) != plan.slots:
        raise Refused(Reason.MALFORMED)
    return person, ballot, wrap(plan.suite, plan.hops[:1], bundle(onions), Drawn(draw))[0]
