"""The contents of messages between parties: a small class for each kind, checked at construction.

bodies.py encodes them as bytes; phases.py says which message is legal when, and from which party.
"""

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Annotated

from ...crypto.keys import PublicKey
from ...crypto.signing import SIGNATURE, SIGNING_KEY
from ...errors import ParameterError
from .announcement import KEY
from .counts import COUNTS
from .counts import Counts as Counts  # noqa: PLC0414 - of a tally
from .fields import (
    DOUBLE,
    U8,
    U32,
    Array,
    Blob,
    Bytes,
    Digest,
    Either,
    FixedBytes,
    Identity,
    Items,
    Maybe,
    Name,
    Nested,
    Number,
    Signature,
    Step,
    Text,
    Trailing,
)
from .hiding_rules import HidingRules, check_hidden
from .parties import Role, index, role
from .records import Body as Body  # noqa: PLC0414 - of every message
from .records import MessageRecord
from .refusals import Refusals
from .schema import COLUMNS, Columns

OPENING = 16  # random bytes that distinguish sessions of parties with the same keys
STATE = 32  # bytes of a hash of the board's posts (SHA-256)
# random bytes in a commitment, because otherwise its content could be guessed and checked
BLIND = 32
WITNESS = 1 + STATE + SIGNATURE  # bytes of a witness, which cites the board's signed tree head

# The board's signed tree head that a party saw, as bytes; empty before the first head.
Witness = Annotated[bytes, Blob((0, WITNESS))]


class Kind(IntEnum):
    """The byte that identifies the kind of a message."""

    KEY = 1
    ANNOUNCEMENT = 2
    CONSENT = 3
    CALL = 4
    SUBMISSION = 5
    BATCH = 6
    MIXED = 7
    TALLY = 8
    DECISION = 9
    BURNED = 10
    CLOSED = 11
    REGISTRY = 12
    ALARM = 14
    RELAY = 15
    FOUND = 16
    AGREED = 17
    ACCUSATION = 18
    ROSTER = 19
    HEAD = 20
    SHARE = 21
    SHOWN = 22
    COMMITTED = 23
    CERTIFICATE = 24
    MINT = 32
    ASK = 33
    GRANT = 34
    ISSUED = 35
    ROLL = 36
    ACCEPTED = 37
    HEARD = 38
    COIN = 39
    TRACED = 40
    TOSS = 41
    OPENED = 42
    GRANTED = 43
    QUERY = 48
    EVALUATED = 49
    KEYS = 50
    HANDED = 51
    CHECKED = 52
    SHUFFLED = 53
    SHARED = 54


class Cause(StrEnum):
    """The cause of an alarm; alarms.py describes the causes and their evidence."""

    BALANCE = "balance"
    ACCOUNTS = "accounts"
    ORDER = "order"
    DECISION = "decision"
    ANNOUNCEMENT = "announcement"
    SPLIT = "split"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Key(Body):
    """The post of a shuffler's or the analyst's fresh public key.

    Attributes:
        key: the public key.
    """

    key: Annotated[PublicKey, KEY]


@dataclass(frozen=True, slots=True)
class Consent(Body):
    """The post by which a keyholder (shuffler or analyst) takes part in a session.

    It found its own key in the announcement.

    Attributes:
        session: the digest of the announcement.
    """

    session: Digest


@dataclass(frozen=True, slots=True)
class Call(Body):
    """The post by which the curator opens a round: the reader of the answers, and the query.

    Attributes:
        round: the number of the round, from 1.
        reader: the role of the party that opens the ballots: curator or analyst.
        asks: the queried sets of columns, by column number; a ballot answers one set.
        hidden: the rules that users apply to their values before they submit, at most one rule for
            each column.
    """

    round: Step
    reader: Annotated[Role, Either(Role.CURATOR, Role.ANALYST)]
    asks: Annotated[
        tuple[tuple[int, ...], ...],
        Array(replace(COLUMNS, minimum=1), minimum=1, maximum=255, order="distinct"),
    ]
    hidden: HidingRules = ()

    def check(self) -> None:
        """Raise ParameterError unless the hiding rules are for queried columns.

        Each column has at most one rule; rules are in column order.
        """
        check_hidden(self.hidden, {column for columns in self.asks for column in columns})


@dataclass(frozen=True, slots=True)
class Submission(Body):
    """The message with a user's answers of a round: an envelope for the first shuffler.

    Attributes:
        envelope: the encrypted answers, sealed to the first shuffler.
        signature: over session, round and envelope, if users are registered; else empty.
        witness: the board's signed tree head that the user saw, as bytes; empty before the first.
    """

    envelope: Bytes
    signature: Bytes = b""
    witness: Witness = b""


@dataclass(frozen=True, slots=True)
class Batch(Body):
    """The message with the layers that a shuffler forwards: a batch, or a part of a large batch.

    Attributes:
        layers: the layers.
    """

    layers: Annotated[tuple[bytes, ...], Items()]


@dataclass(frozen=True, slots=True)
class Mixed(Body):
    """The post of a shuffler's account of its batch: input, output, refusals, and a digest.

    Attributes:
        hop: the shuffler's number in the chain, from 1.
        people: the number of users with an envelope that opened (first shuffler only, else 0).
        received: the number of input messages.
        forwarded: the number of output layers.
        refused: the number of refused messages, by reason.
        digest: the digest of the output batch, 32 bytes.
    """

    hop: U8
    people: U32
    received: U32
    forwarded: U32
    refused: Refusals
    digest: Digest


@dataclass(frozen=True, slots=True)
class Tally(Body):
    """The post of the totals of curator or analyst: ballots, refusals and public counts.

    Attributes:
        totals: the number of ballots for each queried column set.
        refused: the number of ballots that did not count, by reason.
        counts: for each queried column set, the number of people by combination of values; None if
            counts are not published.
    """

    totals: Annotated[tuple[int, ...], Array(Number(4))]
    refused: Refusals
    counts: Annotated[tuple[Counts, ...] | None, Maybe(Array(COUNTS))] = None

    def adds_up(self) -> bool:
        """Whether the counts of each column set add up to its total."""
        return self.counts is None or self.totals == tuple(sum(c.values()) for c in self.counts)


@dataclass(frozen=True, slots=True)
class DecisionCertificate(MessageRecord):
    """The curator's claim about the released columns, in numbers that every party can check.

    Attributes:
        rule: the name of the rule that proves the bound, such as a theorem of paper 000.
        k: the smallest safe class size.
        n: the number of counted people.
        people: the upper bound on the number of people in classes smaller than k.
        thresholds: for each released column a number of people, if the rule has such thresholds.
        pivot: the number of the column that Theorem 2 counts by; None for other rules.
        slack: for Theorem 3, its constant c. For a bound on people that were not counted, the
            probability that it fails. If values are also suppressed at random, the probability that
            a column has fewer than k suppressed values. None for other rules.
        proof: further data that checking the rule needs (JSON); mostly empty.
    """

    rule: Text
    k: U32
    n: U32
    people: U32
    thresholds: Annotated[tuple[float, ...], Array(DOUBLE)] = ()
    pivot: Annotated[int | None, Maybe(Number(1), count=2)] = None
    slack: Annotated[float | None, Maybe(DOUBLE, count=2)] = None
    proof: Bytes = b""

    def adds_up(self) -> bool:
        """Whether the bound is at most the number of people."""
        return self.people <= self.n

    @property
    def value(self) -> float:
        """The bound on the exposure: a share of the counted people, 0 to 1."""
        return self.people / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True)
class Decision(Body):
    """The post of the curator's decision: the columns of the release, and their certificate.

    Attributes:
        kept: the columns of the release, by number, ascending.
        certificate: the bound on exposed people for these columns, with the data that prove it.
        hidden: rules that users apply to their values before they submit them to the analyst.
    """

    kept: Columns
    certificate: Annotated[DecisionCertificate, Nested(DecisionCertificate, spread=True)]
    hidden: HidingRules = ()

    def check(self) -> None:
        """Raise ParameterError unless the rules are for released columns.

        Each column has at most one rule; rules are in column order.
        """
        check_hidden(self.hidden, self.kept)


@dataclass(frozen=True, slots=True)
class CommittedDecision(Body):
    """The post of a decision with secret counts: the columns, and a commitment to the certificate.

    Attributes:
        kept: the columns of the release, by number, ascending.
        n: the number of users that the certificate is about.
        delta: if users also suppress values at random, the probability that a column has fewer than
            k suppressed values; else None.
        hidden: rules that users apply to their values before they submit them to the analyst.
        digest: the commitment to decision and certificate (commitment.py), 32 bytes.
        sealed: the certificate and the random bytes of the commitment, encrypted to the analyst.
    """

    kept: Columns
    n: U32
    delta: Annotated[float | None, Maybe(DOUBLE, count=2)]
    hidden: HidingRules
    digest: Digest
    sealed: Bytes

    def check(self) -> None:
        """Raise ParameterError unless the rules are for released columns.

        Each column has at most one rule; rules are in column order.
        """
        check_hidden(self.hidden, self.kept)


@dataclass(frozen=True, slots=True)
class OpenedCertificate(Body):
    """The opening of the curator's commitment, as it is posted or sealed for the analyst.

    Attributes:
        blind: the random bytes that hid the content of the commitment, 32 bytes.
        certificate: the certificate of the decision.
    """

    blind: Annotated[bytes, FixedBytes(BLIND)]
    certificate: Annotated[DecisionCertificate, Nested(DecisionCertificate, spread=True)]


@dataclass(frozen=True, slots=True)
class Burned(Body):
    """The post by which a party aborts a round: the round has no output, and is not repeated.

    Attributes:
        why: the reason, in words.
    """

    why: Text


@dataclass(frozen=True, slots=True)
class Closed(Body):
    """The curator's post that the session is over."""


@dataclass(frozen=True, slots=True)
class Registry(Body):
    """The post of the registered users' public keys (Ed25519), in order; only they may submit.

    Attributes:
        keys: the public keys; no key occurs twice.
    """

    keys: Annotated[tuple[bytes, ...], Items(FixedBytes(SIGNING_KEY), order="distinct")]


@dataclass(frozen=True, slots=True)
class Roster(Body):
    """The post of the identity keys (Ed25519) with which parties sign posts.

    All parties know these keys and the opening before the session.

    Attributes:
        opening: 16 random bytes that distinguish sessions of the same parties.
        board: the key of the board's keeper, 32 bytes, like the other keys.
        curator: the curator's key.
        analyst: the analyst's key.
        shufflers: the shufflers' keys, in the order of the mix.
        randomness: the key of the party `randomness`, which evaluates the oblivious function of the
            program `threshold`; empty in other programs.
    """

    opening: Annotated[bytes, FixedBytes(OPENING)]
    board: Identity
    curator: Identity
    analyst: Identity
    shufflers: Annotated[tuple[bytes, ...], Array(FixedBytes(SIGNING_KEY))]
    randomness: Annotated[bytes, Trailing(SIGNING_KEY)] = b""

    def check(self) -> None:
        """Raise ParameterError if two parties have the same key."""
        more = (self.randomness,) if self.randomness else ()
        keys = (self.board, self.curator, self.analyst, *self.shufflers, *more)
        if len(set(keys)) < len(keys):
            raise ParameterError("roster: two parties have the same identity; each needs its own")

    def key(self, party: str) -> bytes | None:
        """Return the identity key of a party, by its name; None if the party has no such key."""
        match role(party):
            case Role.BOARD:
                return self.board
            case Role.CURATOR:
                return self.curator
            case Role.ANALYST:
                return self.analyst
            case Role.SHUFFLER if index(party) < len(self.shufflers):
                return self.shufflers[index(party)]
            case Role.RANDOMNESS if self.randomness:
                return self.randomness
        return None


@dataclass(frozen=True, slots=True)
class Head(Body):
    """The signed tree head: the board's signature over all its posts up to a query, or to the end.

    Attributes:
        place: the number of the round; the head covers all posts up to its query. 0: the end of the
            session.
        state: the hash of these posts (signed_posts.py).
        signature: the board's signature, 64 bytes.
    """

    place: U8
    state: Digest
    signature: Signature


@dataclass(frozen=True, slots=True)
class Alarm(Body):
    """The post of a party that reports an error in a round, with evidence.

    Attributes:
        round: the number of the round, from 1.
        cause: the kind of error.
        evidence: the proof that the cause requires; mostly empty.
    """

    round: U8
    cause: Annotated[Cause, Name(Cause)]
    evidence: Bytes = b""


@dataclass(frozen=True, slots=True)
class Envelope(MessageRecord):
    """An entry of the list of accepted envelopes: its registered person, digest and signature.

    Attributes:
        person: the index in the registry, from 0.
        digest: SHA-256 of the envelope, 32 bytes.
        signature: the signature of that person, 64 bytes.
    """

    person: U32
    digest: Digest
    signature: Signature


@dataclass(frozen=True, slots=True)
class Accepted(Body):
    """The first shuffler's post of the envelopes that it accepted.

    Attributes:
        people: an entry for each envelope, in the order of the people in the registry.
    """

    people: Annotated[tuple[Envelope, ...], Array(Nested(Envelope), count=4, order="ascending")]


@dataclass(frozen=True, slots=True)
class BallotMarks(Body):
    """The post of the hashes of ballots that arrived at curator or analyst, before any is opened.

    The ballots are sealed to a joint key of all shufflers and the curator or analyst. They open
    only after users could check that their own ballots have arrived.

    Attributes:
        hashes: ascending, 32 bytes each.
    """

    hashes: Annotated[tuple[bytes, ...], Items(FixedBytes(STATE), order="ascending")]
