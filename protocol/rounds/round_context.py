r"""A round: the contexts, sizes and keys that follow from the announcement and the call.

The announcement holds the signed parameters of the session. The call is the query of a round.

    context of a layer = SHA-256("veilmix layer 1\0" || session digest || round || SHA-256(call) ||
    hop)

A hop is a party that removes one layer. Hops count from 1, the first shuffler. With m shufflers,
hop m + 1 is the reader (curator or analyst). The first shuffler's layer is the envelope around a
user's inner onions. Every inner onion has a layer for each further shuffler and, innermost, one
for the reader. (The caption of Figure 1 in paper 000 has the order backwards.)
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

    Sizes are 0 if padding is off. With m shufflers, hop h <= m is shuffler h; hop m + 1 is the
    curator or analyst.

    Attributes:
        session: the digest of the announcement, 32 bytes.
        call: the query of the round.
        announcement: the session's signed parameters.
        suite: the cipher suite of all keys.
        openers: the party that opens the layer of each hop: the shufflers, then the curator or
            analyst.
        hops: for each opener, its public key and the context of its layers.
        ballot: bytes of one padded ballot.
        inner: inner[h]: bytes of a layer as it arrives at hop h (h = 2 .. m + 1).
        envelope: bytes of a submission; in a verified mix, bytes of all ballots of a person.
        domains: per column, the test whether a value may be submitted: it is in the domain, or the
            text of a hidden value.
        token: bytes of the token (blind credential) behind every ballot; 0 without tokens.
        witness: the signed tree head of the board at the call, which users cite in their messages.
        lock: the joint key to which ballots are sealed (locks.py); empty without a lock, or before
            it is known.
        shape: the sizes of messages that the reader can open only in groups of k people
            (threshold.py); None for plain ballots.
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
        """The number of onions in an envelope: an onion for each ballot, or a single onion for all.

        A single onion for all ballots is a deliberate weakness that demonstrates an attack in
        class.
        """
        return 1 if self.bundled else self.ballots

    @property
    def rows(self) -> int:
        """The number of ballots that each person submits to each query."""
        return self.announcement.rules.rows

    @property
    def ballots(self) -> int:
        """The number of ballots of each person in the round.

        Dummies, which are ballots without an answer, are included.
        """
        return self.rows * len(self.call.asks)

    @property
    def bundled(self) -> bool:
        """Whether all answers of a person travel in one onion.

        It is a deliberate weakness that demonstrates an attack in class.
        """
        return Flaw.BUNDLED in self.announcement.rules.flaws

    @property
    def bound(self) -> bool:
        """Whether messages are bound to their session.

        False is a deliberate weakness that demonstrates an attack in class.
        """
        return Flaw.UNBOUND not in self.announcement.rules.flaws

    @property
    def verified(self) -> bool:
        """Whether every step of the mix is proved in zero knowledge (verified_round.py)."""
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
        """The party that opens the ballots, by name: the curator or the analyst.

        The innermost layer is encrypted to its key.
        """
        return self.openers[-1]

    @property
    def is_public(self) -> bool:
        """Whether the counts of the round are posted on the board."""
        return (
            self.announcement.policy.publish_marginals or self.call.reader is parties.Role.ANALYST
        )

    @property
    def doors(self) -> tuple[str, ...]:
        """The parties that accept ballots in a verified mix, in the order in which they post them.

        First the curator or analyst, then the shufflers. Empty in a round that mixes the ballots of
        round 1 again, because users submit no ballots.
        """
        return () if self.reuses_ballots else (self.reader, *self.openers[:-1])

    @property
    def key_owners(self) -> tuple[str, ...]:
        """The parties that post their keys of a verified mix in this round.

        If users submit once for both rounds, all keys are posted in round 1, those for the release
        too.
        """
        if self.reuses_ballots:
            return ()
        return (*self.openers, parties.ANALYST) if self.once else self.openers


def layer_context(session: bytes, call: Call, hop: int, *, bound: bool = True) -> bytes:
    """Derive the 32 bytes that bind a layer to its session, round, query and hop.

    hop: the index of the layer's opener in the chain, from 1. bound: False gives the same context
    to all layers, a deliberate weakness that demonstrates an attack in class.
    """
    if not bound:
        return hashlib.sha256(UNBOUND_LABEL).digest()
    question = hashlib.sha256(Message(session, call.round, call).encode()).digest()
    place = session + bytes([call.round]) + question + bytes([hop])
    return hashlib.sha256(CONTEXT_LABEL + place).digest()


def as_cited(plan: Round, heads: Mapping[int, Head]) -> Round:
    """Return a round with the signed tree head that users cite: the board's signature over its log.

    heads: the signed tree heads of the board, by round; empty if the board signs no posts. The
    head was signed when the round's call (query) was posted.
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
    """Return a test that admits the same values, and also the empty value of a dummy ballot.

    admits: the test of a column's values.
    """
    return lambda value: not value or admits(value)


def _derive_round(
    announcement: Announcement, session: bytes, call: Call, witness: bytes, lock: bytes
) -> Round:
    """Unpickle a round in a worker process.

    witness: the signed tree head that the party cites. lock: the joint key that seals ballots. The
    worker cannot derive these two from the announcement.
    """
    return replace(open_round(announcement, session, call), witness=witness, lock=lock)


def level_ends(plan: Round) -> tuple[int, ...]:
    """Return, for each level of a `threshold` message, the number of columns in its prefix.

    A level is a separately sealed prefix (the first values) of the row. `plan.shape` has the width
    of each level: there is a level for each column, or a single level for the whole row.
    """
    columns = len(plan.domains)
    whole = plan.shape is None or len(plan.shape.widths) < columns
    return (columns,) if whole else tuple(range(1, columns + 1))


def shape_of(announcement: Announcement) -> Shape | None:
    """Any party: return the sizes of messages that the analyst opens only in groups of k people.

    None unless the program is `threshold`.
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
    """User or peer: return the sealing randomness of a single session, even if a seed is reused.

    Two simulated sessions with one seed give each person the same randomness. If both sealed
    different texts with one ephemeral key, an attacker with both ciphertexts would learn the
    exclusive-or of the texts. entropy: the person's randomness in a round.
    """
    return entropy.fork(f"session {session.hex()}")


def domain_of(
    call: Call, column: int, feature: Feature, *, blank: bool = False
) -> Callable[[str], bool]:
    """Any party: return a fast test of whether a value of a feature may be submitted in a round.

    column: the index of the feature. blank: whether BLANK is allowed, the value of a person that
    was not sampled.
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

    The sum: one byte for the query's number, the salt, two bytes and the value for each column, one
    byte of padding. A column with a hiding rule has room for the text of a hidden value.
    """
    widths = [feature.width for feature in schema.features]
    for rule in call.hidden:
        widths[rule.column] = max(widths[rule.column], WIDEST)
    longest = max(sum(2 + widths[column] for column in ask) for ask in call.asks)
    return 1 + SALT + longest + 1


def bundle_size(announcement: Announcement, call: Call) -> int:
    """Return the bytes of a padded bundle of all answers of a person, sent in one onion.

    A bundle is a deliberate weakness that demonstrates an attack in class.
    """
    ballot = ballot_size(announcement, call) - 1
    return len(call.asks) * (4 + ballot) + 1
