"""The bytes on each link of a session of any size, computed with the protocol's own encoders.

No constant is fitted. A message with a length independent of the number of people is encoded once.
A list with an entry for each person, or each layer, is encoded with 1 and with 2 entries, from
which its length is extrapolated. All people answer, and no message is refused.

Some lengths depend on the answers: those of tallies, of decisions and their commitments, and of
opened certificates. These messages are left out. How many layers an audit opens is drawn at random;
the expected number is counted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ....crypto.box_key import BOX_KEY
from ....crypto.joint_key import PROOF as SHARE_PROOF
from ....crypto.ristretto import ELEMENT, SCALAR
from ....crypto.signing import SIGNATURE, SIGNING_KEY
from ....crypto.voprf import PROOF
from ....protocol.board.phases import BOARD
from ....protocol.rounds.mixing import piece_size
from ....protocol.rounds.opened_prefixes import opens_by_threshold
from ....protocol.rounds.round_context import Round, level_ends, open_round
from ....protocol.rounds.tokens import other_reader
from ....protocol.wire import parties
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.audit_messages import HASH, TOSS, Coin, Link, Opened, Toss, Traced
from ....protocol.wire.bodies import KINDS
from ....protocol.wire.frames import NO_SESSION, Message, Seal
from ....protocol.wire.messages import (
    OPENING,
    STATE,
    WITNESS,
    Accepted,
    BallotMarks,
    Batch,
    Body,
    Call,
    Closed,
    Consent,
    Envelope,
    Head,
    Key,
    Mixed,
    Registry,
    Roster,
    Submission,
)
from ....protocol.wire.peer_messages import Share, ShareSecret
from ....protocol.wire.token_messages import Ask, Evaluated, Grant, Issued, Mint, Query, Roll

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class LinkTraffic:
    """All messages of a kind that cross a link (from sender to receiver) in a round.

    Attributes:
        round: the number of the round, from 1; 0 before the first call (query of a round).
        sender: a party, or `people`.
        receiver: a party, `people` or `board`; every party may read the board.
        kind: the kind of the messages.
        messages: the number of messages.
        bytes: the total size in bytes, frames and signatures included.
    """

    round: int
    sender: str
    receiver: str
    kind: str
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class TrafficTerms:
    """The facts besides announcement and calls that determine the traffic of a session.

    Attributes:
        people: the number of respondents in each round.
        registered: the number of entries of the registry (list of users' keys); 0: no registry.
        signed: whether posts are signed.
    """

    people: Sequence[int]
    registered: int = 0
    signed: bool = True


def traffic(
    announcement: Announcement, calls: Sequence[Call], terms: TrafficTerms
) -> tuple[LinkTraffic, ...]:
    """Return the messages on every link of an honest session, in the order of the protocol.

    announcement: the session's announcement. calls: the query of each round. terms: the numbers of
    respondents and of registered keys, and whether posts are signed.

    Raises:
        ValueError: ballots are not padded, so that their lengths depend on the answers.
    """
    if not announcement.rules.padded:
        raise ValueError("ballots are not padded")
    session = announcement.digest()
    messages = list(_opening(announcement, terms))
    for number, call in enumerate(calls):
        people = terms.people[min(number, len(terms.people) - 1)]
        plan = open_round(announcement, session, call)
        messages += _call_posts(plan, terms, late=number > 0)
        messages += _collected(plan, people, terms)
        messages += _mixed(plan, people, terms)
        messages += _reader_posts(plan, people, terms)
    last = calls[-1].round
    messages.append(_post(terms, last, parties.CURATOR, Closed()))
    messages += _head(terms, last, 0)
    return tuple(messages)


def length(body: Body, seal: Seal | None = None) -> int:
    """Return the number of bytes of a message with this body. seal: the signature of a post."""
    return len(Message(NO_SESSION, 0, body, seal).encode())


def grown(make: Callable[[int], Body], entry_count: int, seal: Seal | None = None) -> int:
    """Return the bytes of a message with a list of `entry_count` (>= 1) entries of equal size.

    make: returns the body with a given number of entries. The length is extrapolated from 1 and 2
    entries. seal: the signature of a post.
    """
    single, double = length(make(1), seal), length(make(2), seal)
    return single + (double - single) * (entry_count - 1)


def _seal(terms: TrafficTerms, *, headed: bool) -> Seal | None:
    """Return a placeholder of a post's seal (signature); None if posts are not signed.

    terms: whether posts are signed. headed: whether the board has signed its log before (a head);
    the seal repeats the head.
    """
    if not terms.signed:
        return None
    return Seal(bytes(WITNESS if headed else 0), bytes(SIGNATURE))


def _kind(body: Body) -> str:
    """Return the name of a message's kind, such as `batch`."""
    return KINDS[type(body)].name.lower()


def _post(
    terms: TrafficTerms,
    number: int,
    author: str,
    body: Body,
    times: int = 1,
    *,
    headed: bool = True,
) -> LinkTraffic:
    """Return the traffic of `times` equal posts by an author on the board, in round `number`.

    terms: whether posts are signed. headed: whether the board has signed its log before, because
    each signed post then repeats a digest of that log.
    """
    size = times * length(body, _seal(terms, headed=headed))
    return LinkTraffic(number, author, BOARD, _kind(body), times, size)


def _list(
    terms: TrafficTerms, number: int, author: str, make: Callable[[int], Body], entries: int
) -> LinkTraffic:
    """Return the traffic of a post with a list of `entries` entries, in round `number`.

    terms: whether posts are signed. author: the party that makes the post. make: returns the body
    with a given number of entries.
    """
    kind = _kind(make(1))
    size = grown(make, entries, _seal(terms, headed=True))
    return LinkTraffic(number, author, BOARD, kind, 1, size)


def _ordered(size: int, times: int) -> tuple[bytes, ...]:
    """Return `times` different byte strings of a size, in ascending order, as placeholders."""
    return tuple(place.to_bytes(size, "big") for place in range(times))


def _opening(announcement: Announcement, terms: TrafficTerms) -> Iterator[LinkTraffic]:
    """Yield the posts on the board before the first round.

    terms: the number of registered keys, and whether posts are signed.
    """

    def post(author: str, body: Body) -> LinkTraffic:
        """Return the traffic of a post by an author on the board, before the first round."""
        return _post(terms, 0, author, body, headed=False)

    names = [parties.shuffler(hop) for hop in range(1, len(announcement.shufflers) + 1)]
    if terms.signed:
        yield post(parties.CURATOR, _roster(len(names), random=opens_by_threshold(announcement)))
    holders = [*names, parties.ANALYST]
    for name in holders:
        yield post(name, Key(announcement.key(name)))
    if terms.registered:
        seal = _seal(terms, headed=False)
        size = grown(lambda times: Registry(_ordered(SIGNING_KEY, times)), terms.registered, seal)
        yield LinkTraffic(0, parties.CURATOR, BOARD, "registry", 1, size)
    yield post(parties.CURATOR, announcement)
    for name in holders:
        yield post(name, Consent(announcement.digest()))


def _roster(shufflers: int, *, random: bool) -> Roster:
    """Return a placeholder roster: the public keys of the parties that sign posts.

    shufflers: the number of shufflers. random: whether the party `randomness` is among the parties.
    """
    board, curator, analyst, more, *hops = _ordered(SIGNING_KEY, shufflers + 4)
    last = more if random else b""
    return Roster(bytes(OPENING), board, curator, analyst, tuple(hops), last)


def _head(terms: TrafficTerms, number: int, place: int) -> Iterator[LinkTraffic]:
    """Yield the board's signature over its log (a signed tree head), if posts are signed.

    terms: whether posts are signed. number: the round. place: the round that the signature names;
    0 at the end of the session.
    """
    if terms.signed:
        size = length(Head(place, bytes(STATE), bytes(SIGNATURE)))
        yield LinkTraffic(number, BOARD, BOARD, "head", 1, size)


def _call_posts(plan: Round, terms: TrafficTerms, *, late: bool) -> Iterator[LinkTraffic]:
    """Yield the posts before answers: the call (query), the board's head, and keyholders' posts.

    terms: whether posts are signed. late: whether a call came before, so that the board has signed
    its log already.
    """
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


def _collected(plan: Round, people: int, terms: TrafficTerms) -> Iterator[LinkTraffic]:
    """Yield the messages from and to people: submissions, and the requests before them.

    people: the number of respondents.
    """
    number = plan.call.round

    def message(sender: str, receiver: str, body: Body) -> LinkTraffic:
        """Return the traffic of a message that every person sends or receives once."""
        kind = _kind(body)
        return LinkTraffic(number, sender, receiver, kind, people, people * length(body))

    if plan.token:
        tokens, reader = _ordered(ELEMENT, plan.slots), plan.reader
        commitments = _ordered(ELEMENT, plan.slots + 1)
        yield message(PEOPLE, reader, Ask(tokens, bytes(SIGNATURE)))
        yield message(reader, PEOPLE, Grant(tokens, commitments, bytes(SCALAR)))
    if plan.shape is not None:
        levels, randomness = _ordered(ELEMENT, len(level_ends(plan))), parties.RANDOMNESS
        yield message(PEOPLE, randomness, Query(levels))
        yield message(randomness, PEOPLE, Evaluated(levels, bytes(PROOF)))
    signature = bytes(SIGNATURE if terms.registered else 0)
    witness = bytes(WITNESS if terms.signed else 0)
    yield message(PEOPLE, plan.openers[0], Submission(bytes(plan.envelope), signature, witness))


def _mixed(plan: Round, people: int, terms: TrafficTerms) -> Iterator[LinkTraffic]:
    """Yield the posts of each shuffler, and the batches that it forwards.

    people: the number of respondents. terms: whether posts are signed.
    """
    number, rules, layers = plan.call.round, plan.announcement.rules, people * plan.slots
    if rules.challenge or rules.audit:
        yield _list(terms, number, plan.openers[0], _accepted, people)
    shufflers = plan.openers[:-1]
    paired = parties.paired(len(shufflers)) if rules.audit else 0
    for hop, name in enumerate(shufflers, start=1):
        yield _post(terms, number, name, Mixed(hop, 0, 0, 0, {}, bytes(HASH)))
        if hop <= paired:
            yield _list(terms, number, name, lambda times: Traced(1, _ordered(HASH, times)), layers)
        yield _batch(plan, hop + 1, layers)
    if rules.audit:
        for opener in plan.openers:
            yield _post(terms, number, opener, Toss(bytes(TOSS)))
    for hop in range(1, paired + 1):
        width, half = (plan.envelope, people) if hop == 1 else (plan.inner[hop], layers)

        def opened(times: int, hop: int = hop, width: int = width) -> Opened:
            """Return the post that opens `times` layers of a shuffler for an audit.

            hop: the position of the shuffler, from 1. width: the bytes of a layer.
            """
            return Opened(hop, tuple(Link(i, bytes(width), bytes(BOX_KEY)) for i in range(times)))

        yield _list(terms, number, shufflers[hop - 1], opened, max(1, half // 2))


def _batch(plan: Round, hop: int, layers: int) -> LinkTraffic:
    """Return the traffic that brings a batch to the party at `hop`, in as many messages as needed.

    layers: the number of layers in the batch.
    """
    width, piece_layers = plan.inner[hop], piece_size(plan, hop)
    full, rest = divmod(layers, piece_layers)

    def piece(times: int) -> int:
        """Return the bytes of a message with `times` layers."""
        return grown(lambda number: Batch(_ordered(width, number)), times)

    size = full * piece(piece_layers) + (piece(rest) if rest else 0)
    sender, receiver = plan.openers[hop - 2], plan.openers[hop - 1]
    return LinkTraffic(plan.call.round, sender, receiver, "batch", full + bool(rest), size)


def _accepted(times: int) -> Accepted:
    """Return a placeholder post by which a shuffler accepts messages (envelopes) of `times` users.

    Only its size counts: hashes and signatures are zeros.
    """
    return Accepted(tuple(Envelope(i, bytes(STATE), bytes(SIGNATURE)) for i in range(times)))


def _reader_posts(plan: Round, people: int, terms: TrafficTerms) -> Iterator[LinkTraffic]:
    """Yield the reader's posts except its tally, and its roll (list of respondents).

    With the challenge guard the shufflers' posts that reveal their secrets are included. people:
    the number of respondents. terms: whether posts are signed.
    """
    number, rules, ballots = plan.call.round, plan.announcement.rules, people * plan.slots
    reader = plan.reader
    if rules.challenge:
        yield _list(
            terms, number, reader, lambda times: BallotMarks(_ordered(STATE, times)), ballots
        )
        for hop, name in enumerate(plan.openers[:-1], start=1):
            yield _post(terms, number, name, ShareSecret(hop, bytes(SCALAR)))
    if plan.token:
        size = grown(lambda times: Roll(tuple(range(times))), people)
        yield LinkTraffic(number, reader, other_reader(reader), "roll", 1, size)
        yield _post(terms, number, reader, Issued(0))
