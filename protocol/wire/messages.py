"""Messages between parties: a small class for each kind of message, checked at construction.

bodies.py encodes them as bytes; phases.py says which message is legal when, and from which party.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise

from ...crypto.keys import PublicKey
from ...crypto.signing import SIGNATURE, SIGNING_KEY
from ...errors import ParameterError, Reason
from .announcement import Announcement
from .audit_messages import Coin, Opened, Toss, Traced
from .hiding_rules import Hiding, check_hidden
from .parties import Role, index, role
from .peer_messages import Accusation, Agreed, FoundBallots, Relay, Share, ShareSecret
from .token_messages import Ask, Evaluated, Grant, Issued, Mint, PublicGrant, Query, Roll
from .verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)

OPENING = 16  # bytes of a session's opening
STATE = 32  # bytes: a SHA-256
BLIND = 32  # random bytes in a commitment: without them its content could be guessed

Counts = Mapping[tuple[str, ...], int]  # value of each asked column -> number of people


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
    """The cause of an alarm; its evidence is described in alarms.py."""

    BALANCE = "balance"
    ACCOUNTS = "accounts"
    ORDER = "order"
    DECISION = "decision"
    ANNOUNCEMENT = "announcement"
    SPLIT = "split"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Key:
    """A shuffler or the analyst publishes its fresh public key."""

    key: PublicKey


@dataclass(frozen=True, slots=True)
class Consent:
    """A keyholder has found its own key in the announcement with this digest, and takes part."""

    session: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """The curator opens a round: the reader of the answers, and the column sets to answer.

    Attributes:
        round: from 1.
        reader: the party that reads the answers.
        asks: column sets, by numbers; a ballot answers one column set.
        hidden: the rules that users apply to their values before they submit, at most one rule for
            each column.
    """

    round: int
    reader: Role
    asks: tuple[tuple[int, ...], ...]
    hidden: tuple[Hiding, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.round <= 255:
            raise ParameterError(f"round: found {self.round}; 1 to 255 are accepted")
        if self.reader not in (Role.CURATOR, Role.ANALYST):
            raise ParameterError(f"reader: found {self.reader}; curator or analyst is accepted")
        if not 1 <= len(self.asks) <= 255:
            raise ParameterError(f"asks: found {len(self.asks)} column sets; 1 to 255 are accepted")
        if len(set(self.asks)) < len(self.asks):
            raise ParameterError("asks: the same column set is asked for twice")
        for columns in self.asks:
            if not columns or list(columns) != sorted(set(columns)):
                raise ParameterError(f"asks: found {columns}; ascending columns are accepted")
        check_hidden(self.hidden, {column for columns in self.asks for column in columns})


@dataclass(frozen=True, slots=True)
class Submission:
    """A user submits its answers of a round: an envelope for the first shuffler.

    Attributes:
        envelope: sealed to the first shuffler.
        signature: over session, round and envelope, if users are registered; else empty.
        witness: the board's head that the user saw, as bytes; empty without signed heads.
    """

    envelope: bytes
    signature: bytes = b""
    witness: bytes = b""


@dataclass(frozen=True, slots=True)
class Batch:
    """A shuffler forwards all layers that it has opened, at once."""

    layers: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Mixed:
    """A shuffler accounts for its batch: input, output, refusals, and a digest.

    Attributes:
        hop: from 1.
        people: users whose envelope opened (first shuffler only, else 0).
        received: number of input layers.
        forwarded: number of output layers.
        refused: number of refused layers, by reason.
        digest: of the output batch, 32 bytes.
    """

    hop: int
    people: int
    received: int
    forwarded: int
    refused: Mapping[Reason, int]
    digest: bytes


@dataclass(frozen=True, slots=True)
class Tally:
    """A reader publishes its totals: people per column set, refusals, and the counts if public.

    Attributes:
        totals: ballots for each column set that was asked.
        refused: ballots that did not count, by reason.
        counts: people by combination, for each column set; None if they are not published.
    """

    totals: tuple[int, ...]
    refused: Mapping[Reason, int]
    counts: tuple[Counts, ...] | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The curator's claim about the released columns, in numbers that every party can check.

    Attributes:
        rule: the name of the theorem.
        k: the smallest safe class size.
        n: number of counted people.
        people: the upper bound on the number of people in classes smaller than k.
        thresholds: one count per kept column; pivot and slack if the rule has them (Theorem 2's
            column, Theorem 3's c).
        pivot: the column that Theorem 2 counts by; None for other rules.
        slack: Theorem 3's c; None for other rules.
        proof: further data that checking the rule needs (JSON); mostly empty.
    """

    rule: str
    k: int
    n: int
    people: int
    thresholds: tuple[float, ...] = ()
    pivot: int | None = None
    slack: float | None = None
    proof: bytes = b""

    @property
    def value(self) -> float:
        """The promised exposure: a share of people, 0 to 1."""
        return self.people / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """The curator's decision: the columns of the release, and the certificate for them.

    Attributes:
        kept: the columns of the release, by number, ascending.
        certificate: for these columns.
        hidden: rules that users apply to their values before they submit them to the analyst.
    """

    kept: tuple[int, ...]
    certificate: Certificate
    hidden: tuple[Hiding, ...] = ()

    def __post_init__(self) -> None:
        check_hidden(self.hidden, self.kept)


@dataclass(frozen=True, slots=True)
class CommittedDecision:
    """The curator's decision where counts are secret: the columns and a commitment.

    Attributes:
        kept: the columns of the release, by number, ascending.
        n: number of users that the certificate is about.
        delta: probability of fewer than k blanks in a column with covers; None without a cover.
        hidden: rules that users apply to their values before they submit them to the analyst.
        digest: the commitment to decision and certificate (commitment.py), 32 bytes.
        sealed: the opening, encrypted to the analyst.
    """

    kept: tuple[int, ...]
    n: int
    delta: float | None
    hidden: tuple[Hiding, ...]
    digest: bytes
    sealed: bytes

    def __post_init__(self) -> None:
        check_hidden(self.hidden, self.kept)
        if len(self.digest) != STATE:
            raise ParameterError(f"commitment: {STATE} bytes are accepted")


@dataclass(frozen=True, slots=True)
class OpenedCertificate:
    """The opening of the curator's commitment.

    Attributes:
        blind: the random bytes in the hash, 32 bytes.
        certificate: of the decision.
    """

    blind: bytes
    certificate: Certificate

    def __post_init__(self) -> None:
        if len(self.blind) != BLIND:
            raise ParameterError(f"blind: {BLIND} bytes are accepted")


@dataclass(frozen=True, slots=True)
class Burned:
    """A round that was not completed; its output is withheld and it is not run again."""

    why: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is over."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The users that may send: the Ed25519 public key of each, in order. No key occurs twice."""

    keys: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if any(len(key) != SIGNING_KEY for key in self.keys):
            raise ParameterError(f"registry: a key of {SIGNING_KEY} bytes is accepted")
        if len(set(self.keys)) < len(self.keys):
            raise ParameterError("registry: two users have the same key; every user needs its own")


@dataclass(frozen=True, slots=True)
class Roster:
    """The signing parties of a session: their identity keys (Ed25519), known beforehand.

    Attributes:
        opening: 16 bytes that distinguish sessions of the same parties, agreed with the keys.
        board: the key of the board's keeper, 32 bytes, like the other keys.
        curator: the curator's key.
        analyst: the analyst's key.
        shufflers: the shufflers' keys, in the order of the hops.
        randomness: the key of `randomness`; empty without that party.
    """

    opening: bytes
    board: bytes
    curator: bytes
    analyst: bytes
    shufflers: tuple[bytes, ...]
    randomness: bytes = b""

    def __post_init__(self) -> None:
        more = (self.randomness,) if self.randomness else ()
        keys = (self.board, self.curator, self.analyst, *self.shufflers, *more)
        if len(self.opening) != OPENING or any(len(key) != SIGNING_KEY for key in keys):
            raise ParameterError(
                f"roster: an opening of {OPENING} bytes and keys of {SIGNING_KEY} are accepted"
            )
        if len(set(keys)) < len(keys):
            raise ParameterError("roster: two parties have the same identity; each needs its own")

    def key(self, party: str) -> bytes | None:
        """Return the identity key of a party, by its name; None if it has none."""
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
class Head:
    """The board signs its posts up to a place: the call of a round, or (0) the end.

    Attributes:
        place: the number of a round; 0: the end.
        state: the hash of all posts up to there (signed_posts.py).
        signature: the board's, 64 bytes.
    """

    place: int
    state: bytes
    signature: bytes

    def __post_init__(self) -> None:
        if len(self.state) != STATE or len(self.signature) != SIGNATURE:
            raise ParameterError(f"head: {STATE} and {SIGNATURE} bytes are accepted")


@dataclass(frozen=True, slots=True)
class Alarm:
    """A party reports an error in a round, with evidence.

    Attributes:
        round: from 1.
        cause: the kind of error.
        evidence: the proof that the cause requires; mostly empty.
    """

    round: int
    cause: Cause
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An accepted envelope: its registered person, digest and signature.

    Attributes:
        person: the place among the registered people, from 0.
        digest: SHA-256 of the envelope, 32 bytes.
        signature: of that person, 64 bytes.
    """

    person: int
    digest: bytes
    signature: bytes

    def __post_init__(self) -> None:
        if len(self.digest) != STATE or len(self.signature) != SIGNATURE:
            raise ParameterError(f"envelope: {STATE} and {SIGNATURE} bytes are accepted")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The first shuffler posts the accepted envelopes, by the person's place in the registry."""

    people: tuple[Envelope, ...]

    def __post_init__(self) -> None:
        if any(a.person >= b.person for a, b in pairwise(self.people)):
            raise ParameterError("people: ascending places are accepted, none twice")


@dataclass(frozen=True, slots=True)
class BallotMarks:
    """A reader posts the marks of locked ballots before it opens any of them; ascending."""

    hashes: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if any(len(state) != STATE for state in self.hashes):
            raise ParameterError(f"hashes: {STATE} bytes each are accepted")
        if any(a >= b for a, b in pairwise(self.hashes)):
            raise ParameterError("hashes: ascending ones are accepted, none twice")


Body = (
    Key
    | Announcement
    | Consent
    | Call
    | Submission
    | Batch
    | Mixed
    | Tally
    | Decision
    | CommittedDecision
    | OpenedCertificate
    | Burned
    | Closed
    | Registry
    | Alarm
    | Relay
    | FoundBallots
    | Agreed
    | Accusation
    | Roster
    | Head
    | Share
    | ShareSecret
    | Mint
    | Ask
    | Grant
    | PublicGrant
    | Query
    | Evaluated
    | Issued
    | Roll
    | Accepted
    | BallotMarks
    | Coin
    | Traced
    | Toss
    | Opened
    | BallotKeys
    | HandedBallots
    | CheckedBallots
    | ShuffledLists
    | OpeningShares
)
