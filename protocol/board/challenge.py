"""The challenge: a user with a missing ballot proves the loss, and no ballot is opened.

A locked ballot is sealed to a joint key; each shuffler and the reader hold one secret share of the
key. A mark is the hash of a locked ballot. The posts of a round with a challenge are:

    accepted   the first shuffler posts, for each accepted envelope: index in the registry,
               SHA-256(envelope), the user's signature
    heard      the curator or analyst posts the marks of the locked ballots that arrived (locks.py)
    changed    an alarm: an accepted envelope, and a ballot of it without a mark
    shown      without a valid alarm the shufflers reveal their shares, and the reader opens

Each keyholder (shuffler, curator or analyst) first checks that registered users signed the accepted
envelopes. These users must be those of earlier rounds, or differ from them by `min_dropout` or
more. There must be as many marks as accepted ballots, and no valid alarm. If every accepted user
finds its marks, the ballots that arrived are the ballots that were sent. The setting `receipts`
is the share of users that look.

An alarm shows a locked ballot with the user's name. A reader could open the ballot after the last
share is revealed, so an alarm must come before an honest shuffler reveals its share. Clocks are
never compared. Each party counts seconds from an event that it sees. The unit of these constants is
the session's `deadline`:

    party       counts from              rule
    keyholder   its share of the lock    aborts if the marks arrive after MARKS_DUE
    user        its sending              raises no alarm after COMPLAINTS_END
    keyholder   arrival of the marks     reveals its share after LOOKING; aborts if another share
                                         arrives before COMPLAINTS_END

A user seals to all shares, so it sends after all shares were posted. The marks follow the
acceptance of the envelope, so they follow the sending. Hence an honest shuffler reveals its share
at least LOOKING after the sending: half a deadline after the last alarm. Users have at least half a
deadline to look. Assumptions: clocks run at the same rate, and an alarm reaches an honest shuffler
within half a deadline. A malicious board that withholds an alarm from all honest shufflers, and
gives it to a malicious reader, still reveals that ballot (ADR 85).

    evidence = u32 person || blob locked ballot || its draws, 32 bytes a layer, innermost first
               || the envelope's draw (32) || items: the person's other onions

A draw is the randomness that sealed a layer. With the draws any party seals the layers again, up to
the envelope. The ballot stays locked, and the round aborts. A false alarm rebuilds no accepted
envelope, or shows a ballot that has a mark: it aborts nothing.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...crypto.entropy import Drawn
from ...crypto.keys import SECRET_SIZE
from ...crypto.onion import wrap
from ...errors import ParameterError, Reason, Refused, RoundBurned
from ..rounds.ballots import bundle
from ..rounds.locks import Proofs, mark, rewrap
from ..rounds.registered_users import signed_by, signed_digest
from ..rounds.round_context import Round, open_round
from ..wire.crowd_limits import check_batch_size, too_few
from ..wire.messages import Accepted, Alarm, BallotMarks, Envelope, Registry, Submission
from ..wire.wire import Reader, Writer, decode

if TYPE_CHECKING:
    from .board import Board

# time after a keyholder posts its key share in which the ballots' hashes must arrive, else it
# aborts the round; a multiple of the session's deadline: one for the answers, one for the mix
MARKS_DUE = 2.0
# time after a user's sending in which the user may raise an alarm that its ballot is missing; a
# multiple of the session's deadline. It ends half a deadline before an honest shuffler reveals its
# share of the key that opens ballots.
COMPLAINTS_END = 2.5
# time between the arrival of the ballots' hashes at a shuffler and the revealing of its key share,
# in which users look for their hashes; a multiple of the session's deadline
LOOKING = 3.0


def accept(index: int, submission: Submission) -> Envelope:
    """First shuffler: return the entry that it posts for an accepted envelope.

    The entry holds the user's index in the registry, the envelope's hash and the user's signature.
    index: the index in the registry.
    """
    return Envelope(index, hashlib.sha256(submission.envelope).digest(), submission.signature)


def takes(accepted: Accepted, person: int, envelope: bytes) -> bool:
    """Whether the first shuffler posted that it accepted this envelope from this user.

    accepted: the posted list. person: the user's index in the registry.
    """
    mine = person, hashlib.sha256(envelope).digest()
    return any(
        mine == (accepted_envelope.person, accepted_envelope.digest)
        for accepted_envelope in accepted.people
    )


def check_envelopes(
    plan: Round, registry: Registry, accepted: Sequence[Envelope]
) -> list[Reason | None]:
    """Keyholder (shuffler, curator or analyst): check the users' signatures on accepted envelopes.

    Returns:
        For each envelope, None, or UNREGISTERED if the signature is invalid.
    """
    claims = [
        (envelope.person, signed_digest(plan, envelope.digest), envelope.signature)
        for envelope in accepted
    ]
    return [None if fits else Reason.UNREGISTERED for fits in signed_by(registry, claims)]


def check_people(
    accepted: Accepted, earlier_rounds: Sequence[Accepted], min_difference: int, batch: int
) -> None:
    """Keyholder (any party with a key): RoundBurned if a batch is too small, or exposes people.

    If the batch has almost the same people as an earlier round, subtraction would expose the
    difference.

    accepted: the people of this round. earlier_rounds: earlier rounds of the same people.
    min_difference: the smallest safe number of people that are in only one of the two rounds; no
    difference is safe too. batch: the smallest number of people.
    """
    people = frozenset(envelope.person for envelope in accepted.people)
    check_batch_size(len(people), batch)
    for earlier in earlier_rounds:
        difference = len(people ^ {envelope.person for envelope in earlier.people})
        if too_few(difference, min_difference):
            raise RoundBurned(
                f"{difference} people were accepted in one of two rounds only: fewer than "
                f"{min_difference} "
                "could be told apart by subtracting the two rounds"
            )


def check_came(accepted: Accepted, slots: int, arrived_count: int) -> None:
    """Curator or analyst: RoundBurned unless as many ballots have arrived as were accepted.

    accepted: the posted list of accepted envelopes. slots: number of ballots of a person.
    arrived_count: the number of arrived ballots. The message names no party, because the lost
    ballots may also be the fault of a user that sealed too few.
    """
    accepted_count = len(accepted.people) * slots
    if arrived_count != accepted_count:
        raise RoundBurned(
            f"{arrived_count} ballots have come of {accepted_count} that were accepted: some were "
            "lost between "
            "people, shufflers and reader"
        )


def evidence(person: int, proofs: Proofs, slot: int) -> bytes:
    """User: return the bytes which prove that a locked ballot was in its envelope.

    A locked ballot is sealed to a joint key of all shufflers and the curator or analyst. person:
    the user's index in the registry. proofs: the user's locked ballots, and the randomness that
    sealed their layers. slot: the index of the missing ballot in `proofs`.
    """
    other_layers = [layers[0] for at, layers in enumerate(proofs.onions) if at != slot]
    out = Writer().u32(person).blob(proofs.ballots[slot]).raw(proofs.draws[slot]).raw(proofs.draw)
    return out.items(sorted(other_layers)).finish()


def missing(plan: Round, marks: BallotMarks, proofs: Proofs) -> int | None:
    """User: return the index of its first ballot that did not arrive; None if all have arrived.

    marks: the posted hashes of the ballots that arrived, which are still sealed to the joint key.
    proofs: the user's ballots.
    """
    arrived_hashes = set(marks.hashes)
    missing_places = (
        at for at, ballot in enumerate(proofs.ballots) if mark(plan, ballot) not in arrived_hashes
    )
    return next(missing_places, None)


def changed(board: "Board", alarm: Alarm) -> bool:
    """Any party: whether an alarm proves that a ballot of an accepted envelope did not arrive.

    The alarm's evidence must rebuild an accepted envelope, and the ballot's hash must be missing
    among the hashes that the curator or analyst posted.
    """
    challenged = board.challenged
    accepted, marks = challenged.accepted.get(alarm.round), challenged.marks.get(alarm.round)
    if accepted is None or marks is None or board.announcement is None:
        return False
    plan = open_round(board.announcement, board.session, board.calls[alarm.round - 1])
    try:
        person, ballot, envelope = decode(alarm.evidence, lambda data: _rebuilt(plan, data))
    except (Refused, ParameterError):
        return False
    return takes(accepted, person, envelope) and mark(plan, ballot) not in marks.hashes


def _rebuilt(plan: Round, data: Reader) -> tuple[int, bytes, bytes]:
    """Return the person, the ballot and the envelope that the evidence of an alarm rebuilds.

    The ballot is locked: sealed to a joint key of all shufflers and the curator or analyst. The
    ballot is sealed again with the randomness in the evidence, up to the envelope. Refused if the
    evidence is invalid.
    """
    person, ballot = data.u32(), data.blob()
    layers = rewrap(plan, ballot, data.raw(SECRET_SIZE * len(plan.hops[1:])))
    draw, other_layers = data.raw(SECRET_SIZE), data.items()
    if {len(layer) for layer in (*other_layers, layers[0])} != {plan.inner[2]}:
        raise Refused(Reason.WRONG_SIZE)
    onions = sorted({*other_layers, layers[0]})
    if len(onions) != plan.slots:
        raise Refused(Reason.MALFORMED)
    return person, ballot, wrap(plan.suite, plan.hops[:1], bundle(onions), Drawn(draw))[0]
