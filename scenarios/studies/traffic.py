"""How many bytes cross each link of a session of any size, from the protocol's own encoders.

Nothing is fitted. A message whose length does not depend on the number of people is written once; a
list of one entry a person, or a layer, is written with one and with two entries, and the rest is a
multiplication. Everybody answers and nothing is refused.

What people say decides the length of tallies, of decisions, open or committed to, and of opened
certificates, and how many layers the coins of an audit open: the first are left out, of the second
there is the expected number.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...crypto.box_key import BOX_KEY
from ...crypto.joint_key import PROOF as SHARE_PROOF
from ...crypto.ristretto import ELEMENT, SCALAR
from ...crypto.signing import SIGNATURE, SIGNING_KEY
from ...crypto.voprf import PROOF
from ...protocol import parties
from ...protocol.announcement import Announcement
from ...protocol.audit_messages import HASH, TOSS, Coin, Link, Opened, Toss, Traced
from ...protocol.bodies import KINDS, WITNESS
from ...protocol.frames import NO_SESSION, Message, Seal
from ...protocol.messages import (
    OPENING,
    STATE,
    Accepted,
    BallotMarks,
    Batch,
    Body,
    Call,
    Closed,
    CommittedDecision,
    Consent,
    Decision,
    Envelope,
    Head,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Submission,
    Tally,
)
from ...protocol.mixing import piece_size
from ...protocol.opened_prefixes import opens_by_threshold
from ...protocol.peer_messages import Share, ShareSecret
from ...protocol.phases import BOARD
from ...protocol.session import Round, level_ends, open_round
from ...protocol.token_messages import Ask, Evaluated, Grant, Issued, Mint, Query, Roll
from ...protocol.tokens import other_reader

PEOPLE = "people"
LEFT_OUT = tuple(
    KINDS[body].name.lower() for body in (Tally, Decision, CommittedDecision, OpenedCertificate)
)  # kinds of posts whose length is of what people say


@dataclass(frozen=True, slots=True)
class Sent:
    """All messages of a kind that cross one link in a round.

    Attributes:
        round: from 1; 0 before the first call.
        sender: a party, or `people`.
        receiver: a party, `people` or `board`; what is on the board everybody may read.
        kind: of the messages.
        messages: how many.
        bytes: of all of them, frames and signatures included.
    """

    round: int
    sender: str
    receiver: str
    kind: str
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What a session's traffic follows from beside its announcement and calls.

    Attributes:
        people: who answer, in each round.
        registered: entries of the registry; 0: there is none.
        signed: whether posts are signed.
    """

    people: Sequence[int]
    registered: int = 0
    signed: bool = True


def traffic(announcement: Announcement, calls: Sequence[Call], terms: Terms) -> tuple[Sent, ...]:
    """Every link of an honest session with these calls, in the order of the protocol.

    Raises:
        ValueError: ballots are not padded, so that their lengths are of what people say.
    """
    if not announcement.rules.padded:
        raise ValueError("ballots are not padded")
    session = announcement.digest()
    sent = list(_opening(announcement, terms))
    for number, call in enumerate(calls):
        people = terms.people[min(number, len(terms.people) - 1)]
        plan = open_round(announcement, session, call)
        sent += _called(plan, terms, late=number > 0)
        sent += _collected(plan, people, terms)
        sent += _mixed(plan, people, terms)
        sent += _read(plan, people, terms)
    last = calls[-1].round
    sent.append(_post(terms, last, parties.CURATOR, Closed()))
    sent += _head(terms, last, 0)
    return tuple(sent)


def length(body: Body, seal: Seal | None = None) -> int:
    """Bytes of a message."""
    return len(Message(NO_SESSION, 0, body, seal).encode())


def grown(make: Callable[[int], Body], many: int, seal: Seal | None = None) -> int:
    """Bytes of a message with a list of so many entries, all of one size; `many` is 1 or more."""
    single, double = length(make(1), seal), length(make(2), seal)
    return single + (double - single) * (many - 1)


def _seal(terms: Terms, *, headed: bool) -> Seal | None:
    """What a post ends with. headed: whether a head is on the board, which it repeats."""
    if not terms.signed:
        return None
    return Seal(bytes(WITNESS if headed else 0), bytes(SIGNATURE))


def _kind(body: Body) -> str:
    """What the phases table calls a message."""
    return KINDS[type(body)].name.lower()


def _post(
    terms: Terms, number: int, author: str, body: Body, many: int = 1, *, headed: bool = True
) -> Sent:
    size = many * length(body, _seal(terms, headed=headed))
    return Sent(number, author, BOARD, _kind(body), many, size)


def _list(
    terms: Terms, number: int, author: str, make: Callable[[int], Body], entries: int
) -> Sent:
    kind = _kind(make(1))
    size = grown(make, entries, _seal(terms, headed=True))
    return Sent(number, author, BOARD, kind, 1, size)


def _ordered(size: int, many: int) -> tuple[bytes, ...]:
    """So many ascending byte strings of a size."""
    return tuple(place.to_bytes(size, "big") for place in range(many))


def _opening(announcement: Announcement, terms: Terms) -> Iterator[Sent]:
    """What stands on the board before the first round."""

    def post(author: str, body: Body) -> Sent:
        return _post(terms, 0, author, body, headed=False)

    names = [parties.shuffler(hop) for hop in range(1, len(announcement.shufflers) + 1)]
    if terms.signed:
        yield post(parties.CURATOR, _roster(len(names), random=opens_by_threshold(announcement)))
    holders = [*names, parties.ANALYST]
    for name in holders:
        yield post(name, Key(announcement.key(name)))
    if terms.registered:
        seal = _seal(terms, headed=False)
        size = grown(lambda many: Registry(_ordered(SIGNING_KEY, many)), terms.registered, seal)
        yield Sent(0, parties.CURATOR, BOARD, "registry", 1, size)
    yield post(parties.CURATOR, announcement)
    for name in holders:
        yield post(name, Consent(announcement.digest()))


def _roster(shufflers: int, *, random: bool) -> Roster:
    board, curator, analyst, more, *hops = _ordered(SIGNING_KEY, shufflers + 4)
    last = more if random else b""
    return Roster(bytes(OPENING), board, curator, analyst, tuple(hops), last)


def _head(terms: Terms, number: int, place: int) -> Iterator[Sent]:
    """A head, where posts are signed."""
    if terms.signed:
        size = length(Head(place, bytes(STATE), bytes(SIGNATURE)))
        yield Sent(number, BOARD, BOARD, "head", 1, size)


def _called(plan: Round, terms: Terms, *, late: bool) -> Iterator[Sent]:
    """The call, its head, and what keyholders post before people answer."""
    number, rules = plan.call.round, plan.announcement.rules
    yield _post(terms, number, parties.CURATOR, plan.call, headed=late)
    yield from _head(terms, number, number)
    for opener in plan.openers:
        if rules.audit:
            yield _post(terms, number, opener, Coin(bytes(HASH)))
        if rules.challenge:
            yield _post(terms, number, opener, Share(bytes(ELEMENT), bytes(SHARE_PROOF)))
    if plan.token:
        yield _post(terms, number, plan.reader, Mint(bytes(ELEMENT)))
    if plan.shape is not None:
        yield _post(terms, number, parties.RANDOMNESS, Mint(bytes(ELEMENT)))


def _collected(plan: Round, people: int, terms: Terms) -> Iterator[Sent]:
    """What people send and are sent: submissions, and what they ask for before."""
    number = plan.call.round

    def each(sender: str, receiver: str, body: Body) -> Sent:
        kind = _kind(body)
        return Sent(number, sender, receiver, kind, people, people * length(body))

    if plan.token:
        asked, reader = _ordered(ELEMENT, plan.slots), plan.reader
        commitments = _ordered(ELEMENT, plan.slots + 1)
        yield each(PEOPLE, reader, Ask(asked, bytes(SIGNATURE)))
        yield each(reader, PEOPLE, Grant(asked, commitments, bytes(SCALAR)))
    if plan.shape is not None:
        levels, where = _ordered(ELEMENT, len(level_ends(plan))), parties.RANDOMNESS
        yield each(PEOPLE, where, Query(levels))
        yield each(where, PEOPLE, Evaluated(levels, bytes(PROOF)))
    signature = bytes(SIGNATURE if terms.registered else 0)
    witness = bytes(WITNESS if terms.signed else 0)
    yield each(PEOPLE, plan.openers[0], Submission(bytes(plan.envelope), signature, witness))


def _mixed(plan: Round, people: int, terms: Terms) -> Iterator[Sent]:
    """What each shuffler posts, and sends on."""
    number, rules, layers = plan.call.round, plan.announcement.rules, people * plan.slots
    if rules.challenge or rules.audit:
        yield _list(terms, number, plan.openers[0], _accepted, people)
    shufflers = plan.openers[:-1]
    paired = parties.paired(len(shufflers)) if rules.audit else 0
    for hop, name in enumerate(shufflers, start=1):
        yield _post(terms, number, name, Mixed(hop, 0, 0, 0, {}, bytes(HASH)))
        if hop <= paired:
            yield _list(terms, number, name, lambda many: Traced(1, _ordered(HASH, many)), layers)
        yield _batch(plan, hop + 1, layers)
    if rules.audit:
        for opener in plan.openers:
            yield _post(terms, number, opener, Toss(bytes(TOSS)))
    for hop in range(1, paired + 1):
        width, half = (plan.envelope, people) if hop == 1 else (plan.inner[hop], layers)

        def opened(many: int, hop: int = hop, width: int = width) -> Opened:
            return Opened(hop, tuple(Link(i, bytes(width), bytes(BOX_KEY)) for i in range(many)))

        yield _list(terms, number, shufflers[hop - 1], opened, max(1, half // 2))


def _batch(plan: Round, hop: int, layers: int) -> Sent:
    """What the party at `hop` is sent by the one before it, in as many messages as it takes."""
    width, most = plan.inner[hop], piece_size(plan, hop)
    full, rest = divmod(layers, most)

    def piece(many: int) -> int:
        return grown(lambda some: Batch(_ordered(width, some)), many)

    size = full * piece(most) + (piece(rest) if rest else 0)
    sender, receiver = plan.openers[hop - 2], plan.openers[hop - 1]
    return Sent(plan.call.round, sender, receiver, "batch", full + bool(rest), size)


def _accepted(many: int) -> Accepted:
    return Accepted(tuple(Envelope(i, bytes(STATE), bytes(SIGNATURE)) for i in range(many)))


def _read(plan: Round, people: int, terms: Terms) -> Iterator[Sent]:
    """What the reader posts, and tells the other reader, but its tally."""
    number, rules, ballots = plan.call.round, plan.announcement.rules, people * plan.slots
    reader = plan.reader
    if rules.challenge:
        yield _list(terms, number, reader, lambda many: BallotMarks(_ordered(STATE, many)), ballots)
        for hop, name in enumerate(plan.openers[:-1], start=1):
            yield _post(terms, number, name, ShareSecret(hop, bytes(SCALAR)))
    if plan.token:
        size = grown(lambda many: Roll(tuple(range(many))), people)
        yield Sent(number, reader, other_reader(reader), "roll", 1, size)
        yield _post(terms, number, reader, Issued(0))
