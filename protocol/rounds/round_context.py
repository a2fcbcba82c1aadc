r"""A round: the contexts, sizes and keys that follow from the announcement and the call.

The announcement holds the signed parameters of the session; the call is the query of a round.

    context of a layer = SHA-256("veilmix layer 1\0" || session digest || round || SHA-256(call) ||
    hop)

Hops count from 1, the first shuffler; the reader is hop m + 1. The first shuffler's layer is the
envelope around a user's inner onions; every inner onion has a layer for each further shuffler and,
innermost, one for the reader (the caption of paper 000's Figure 1 has the order backwards).
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ...crypto.entropy import Entropy
from ...crypto.joint_key import OVERHEAD as LOCK
from ...crypto.layer import layer_size
from ...crypto.onion import Hop, onion_size
from ...crypto.suites import Suite, suite_by_code
from ...crypto.threshold import Shape
from ...crypto.tokens import TOKEN
from ...crypto.verified.ballots import BALLOT_SIZE
from ...crypto.verified.submit_once import ONCE_SIZE
from ...errors import ParameterError
from ..wire import parties
from ..wire.announcement import Announcement, Flaw
from ..wire.frames import Message
from ..wire.hiding_rules import BLANK, WIDEST, admitted
from ..wire.messages import Call, Head
from ..wire.schema import Feature, Schema
from ..wire.signed_posts import witness_of
from .opened_prefixes import by_prefixes, opens_by_threshold, sample_parts

CONTEXT_LABEL = b"veilmix layer 1\0"
UNBOUND_LABEL = b"veilmix layer of a lesson 1\0"
SALT = 16  # bytes of the random salt of a ballot


@dataclass(frozen=True, slots=True)
class Round:
    """The properties of a round that every party can derive from the announcement and the call.

    Sizes are 0 if padding is off.

    Attributes:
        session: the digest of the announcement, 32 bytes.
        call: the query of the round.
        announcement: the session's signed parameters.
        suite: the cipher suite of all keys.
        openers: the party that opens the layer of each hop: the shufflers, then the reader.
        hops: their public keys and contexts.
        ballot: bytes of one padded ballot.
        inner: inner[h]: bytes of a layer as it arrives at hop h (h = 2 .. m + 1); inner[m + 1] is
            the reader's.
        envelope: bytes of a submission; of a verified mix, of all ballots of a person.
        domains: per column, whether a value may be submitted: it is in the domain, or the text of a
            hidden value.
        token: bytes of the token (blind credential) behind every ballot; 0 without tokens.
        witness: the board's signed head at the call, which users cite in their messages.
        lock: the joint key to which ballots are sealed (locks.py); empty without a lock, or before
            it is known.
        shape: the shape of messages that only k people open together (threshold.py); None for plain
            ballots.
    """

    session: bytes
    call: Call
    announcement: Announcement
    suite: Suite
    openers: tuple[str, ...]
    hops: tuple[Hop, ...]
    ballot: int
    inner: tuple[int, ...]
    envelope: int
    domains: tuple[Callable[[str], bool], ...]
    token: int = 0
    witness: bytes = b""
    lock: bytes = b""
    shape: Shape | None = None

    def __reduce__(self) -> tuple[Callable[..., "Round"], tuple[object, ...]]:
        """Pickle as the inputs of `open_round`, from which another process derives the round."""
        follows = self.announcement, self.session, self.call
        return _derive_round, (*follows, self.witness, self.lock)

    def bare(self, plaintext: bytes) -> bytes:
        """Return a decrypted ballot without the token (blind credential) at its end."""
        return plaintext[: -self.token] if self.token else plaintext

    @property
    def slots(self) -> int:
        """The number of onions in an envelope: of each ballot an onion, or a single onion for all.

        All ballots in an onion are the design error of a lesson.
        """
        return 1 if self.bundled else self.ballots

    @property
    def rows(self) -> int:
        """The number of ballots that each person gives to each query."""
        return self.announcement.rules.rows

    @property
    def ballots(self) -> int:
        """The number of ballots of a person in the round, dummies included."""
        return self.rows * len(self.call.asks)

    @property
    def bundled(self) -> bool:
        """Whether a person's answers travel in one onion (a design error, for a lesson)."""
        return Flaw.BUNDLED in self.announcement.rules.flaws

    @property
    def bound(self) -> bool:
        """Whether messages are bound to their session (False: a design error, for a lesson)."""
        return Flaw.UNBOUND not in self.announcement.rules.flaws

    @property
    def verified(self) -> bool:
        """Whether every step of the mix is proved (verified_round.py)."""
        return self.announcement.rules.verified

    @property
    def once(self) -> bool:
        """Whether users submit once, and the ballots of round 1 are mixed again in round 2."""
        return self.announcement.once

    @property
    def reuses_ballots(self) -> bool:
        """Whether the round mixes ballots that were submitted in round 1."""
        return self.announcement.reuses_ballots(self.call.reader)

    @property
    def reader(self) -> str:
        """The party that opens the ballots: the innermost layer is encrypted to its key."""
        return self.openers[-1]

    @property
    def is_public(self) -> bool:
        """Whether the counts of the round are posted on the board."""
        return (
            self.announcement.policy.publish_marginals or self.call.reader is parties.Role.ANALYST
        )

    @property
    def doors(self) -> tuple[str, ...]:
        """The keyholders in the order in which they post ballots: the reader, then the hops.

        No party posts ballots if the ballots of round 1 are mixed again.
        """
        return () if self.reuses_ballots else (self.reader, *self.openers[:-1])

    @property
    def key_owners(self) -> tuple[str, ...]:
        """The parties that post keys of a verified mix in the round.

        If users submit once, all keys are posted in round 1, also the keys of the release.
        """
        if self.reuses_ballots:
            return ()
        return (*self.openers, parties.ANALYST) if self.once else self.openers


def layer_context(session: bytes, call: Call, hop: int, *, bound: bool = True) -> bytes:
    """Derive the 32 bytes that bind a layer to its session, round, query and hop.

    bound: False is the design error of not binding it.
    """
    if not bound:
        return hashlib.sha256(UNBOUND_LABEL).digest()
    question = hashlib.sha256(Message(session, call.round, call).encode()).digest()
    place = session + bytes([call.round]) + question + bytes([hop])
    return hashlib.sha256(CONTEXT_LABEL + place).digest()


def as_cited(plan: Round, heads: Mapping[int, Head]) -> Round:
    """Return a round with the board's signed head at its call, which users cite in messages.

    heads: the signed heads of the board, by round; empty if the board signs no posts.
    """
    head = heads.get(plan.call.round)
    return replace(plan, witness=b"" if head is None else witness_of(head))


def open_round(announcement: Announcement, session: bytes, call: Call) -> Round:
    """Any party: return the round of a call, derived from public data.

    session: the digest of the announcement. ParameterError if the call requests unknown columns.
    """
    columns = {column for ask in call.asks for column in ask}
    features = announcement.schema.features
    if max(columns) >= len(features):
        raise ParameterError(
            f"asks: found column {max(columns)}; 0 to {len(features) - 1} are accepted"
        )
    suite = suite_by_code(announcement.suite, lesson=announcement.rules.lesson)
    shufflers = len(announcement.shufflers)
    openers = (*(parties.shuffler(hop + 1) for hop in range(shufflers)), call.reader.value)
    bound = Flaw.UNBOUND not in announcement.rules.flaws
    hops = tuple(
        Hop(announcement.key(party), layer_context(session, call, hop, bound=bound))
        for hop, party in enumerate(openers, start=1)
    )
    if announcement.rules.verified:
        closed = tuple(domain_of(call, *each) for each in enumerate(features))
        envelope = (ONCE_SIZE if announcement.once else BALLOT_SIZE) * len(call.asks)
        sizes = (0, (0,) * (shufflers + 2), envelope, closed)
        return Round(session, call, announcement, suite, openers, hops, *sizes)
    bundled = Flaw.BUNDLED in announcement.rules.flaws
    size = bundle_size if bundled else ballot_size
    ballot = size(announcement, call) if announcement.rules.padded else 0
    token = TOKEN if announcement.rules.tokens else 0
    lock = LOCK if announcement.rules.challenge else 0
    inner = tuple(
        onion_size(suite, ballot + token + lock, shufflers + 2 - hop) if ballot and hop >= 2 else 0
        for hop in range(shufflers + 2)
    )
    ballots = announcement.rules.rows * len(call.asks)
    bundle = 8 + (1 if bundled else ballots) * inner[2]
    envelope = layer_size(suite, bundle) if ballot else 0
    covers = opens_by_threshold(announcement) and sample_parts(announcement.policy.rule) is not None
    domains = tuple(
        domain_of(call, column, feature, blank=covers) for column, feature in enumerate(features)
    )
    if announcement.rules.rows > 1:
        domains = tuple(map(_or_dummy, domains))
    return Round(
        session=session,
        call=call,
        announcement=announcement,
        suite=suite,
        openers=openers,
        hops=hops,
        ballot=ballot,
        inner=inner,
        envelope=envelope,
        domains=domains,
        token=token,
        shape=shape_of(announcement),
    )


def _or_dummy(admits: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a test that admits the same values, and also the empty value of a dummy ballot."""
    return lambda value: not value or admits(value)


def _derive_round(
    announcement: Announcement, session: bytes, call: Call, witness: bytes, lock: bytes
) -> Round:
    """Unpickle a round in a worker process, with the head and the lock that the party has."""
    return replace(open_round(announcement, session, call), witness=witness, lock=lock)


def level_ends(plan: Round) -> tuple[int, ...]:
    """Return, for each level of a `threshold` message, the number of columns in its prefix.

    A level is a prefix of the row that opens by itself: after every column, or only the whole row.
    """
    columns = len(plan.domains)
    whole = plan.shape is None or len(plan.shape.widths) < columns
    return (columns,) if whole else tuple(range(1, columns + 1))


def shape_of(announcement: Announcement) -> Shape | None:
    """Any party: return the sizes of messages that k people open together (program `threshold`).

    None for other programs.
    """
    if not opens_by_threshold(announcement):
        return None
    policy, widths = (
        announcement.policy,
        [feature.width + 2 for feature in announcement.schema.features],
    )
    levels = widths if by_prefixes(policy.rule) else [sum(widths)]
    return Shape(policy.k, tuple(width + 1 for width in levels))


def sealing(entropy: Entropy, session: bytes) -> Entropy:
    """User, peer: return the sealing randomness of a single session, even if a seed is reused.

    Two sessions of one seed have the same people with the same sources. If they sealed two texts
    with the same ephemeral key, an attacker with both ciphertexts would learn the exclusive-or of
    the texts. entropy: the person's randomness of a round.
    """
    return entropy.fork(f"session {session.hex()}")


def domain_of(
    call: Call, column: int, feature: Feature, *, blank: bool = False
) -> Callable[[str], bool]:
    """Any party: return a fast test of whether a value of a feature may be submitted in a round.

    blank: whether the blank value of a person that does not take part is allowed.
    """
    if blank:
        return lambda value: value == BLANK or feature.admits(value)
    plain = feature.admits if feature.values is None else frozenset(feature.values).__contains__
    for rule in call.hidden:
        if rule.column == column:
            return lambda value: admitted(rule, value, plain=plain(value))
    return plain


def ballot_size(announcement: Announcement, call: Call) -> int:
    """Return the bytes of a padded ballot in a round of this session."""
    if (shape := shape_of(announcement)) is not None:
        return 1 + SALT + shape.size() + 1
    return padded_size(announcement.schema, call)


def padded_size(schema: Schema, call: Call) -> int:
    """Return the bytes of a padded ballot: enough for the longest answer to any query of the round.

    One byte of query, the salt, two bytes and the value of each column, one byte of padding. A
    column with a rule has room for the text of a hidden value.
    """
    widths = [feature.width for feature in schema.features]
    for rule in call.hidden:
        widths[rule.column] = max(widths[rule.column], WIDEST)
    longest = max(sum(2 + widths[column] for column in ask) for ask in call.asks)
    return 1 + SALT + longest + 1


def bundle_size(announcement: Announcement, call: Call) -> int:
    """Return the bytes of a padded bundle of all answers, sent together (a design error)."""
    ballot = ballot_size(announcement, call) - 1
    return len(call.asks) * (4 + ballot) + 1
