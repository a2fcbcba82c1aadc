"""What parties say to each other: one small class a kind of message, valid once it exists.

How each is written as bytes is in bodies.py; which is legal when, and from whom, in phases.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise

from ..crypto.keys import PublicKey
from ..crypto.signing import SIGNATURE, SIGNING_KEY
from ..errors import ParameterError, Reason
from .announcement import Announcement
from .audit_messages import Coin, Opened, Toss, Traced
from .hiding import Hiding, check_hidden
from .parties import Role, index, role
from .peer_messages import Accusation, Agreed, FoundBallots, Relay, Share, ShareSecret
from .token_messages import Ask, Evaluated, Grant, Issued, Mint, PublicGrant, Query, Roll

OPENING = 16  # bytes of a session's opening
STATE = 32  # bytes: a SHA-256
BLIND = 32  # random bytes in a commitment: without them its content could be guessed

Counts = Mapping[tuple[str, ...], int]  # value of each asked column -> number of people


class Kind(IntEnum):
    """The byte that tells what a message is."""

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


class Cause(StrEnum):
    """What an alarm is about; what proves it is in alarms.py."""

    BALANCE = "balance"
    ACCOUNTS = "accounts"
    ORDER = "order"
    DECISION = "decision"
    ANNOUNCEMENT = "announcement"
    SPLIT = "split"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Key:
    """A shuffler or the analyst tells everybody its fresh public key."""

    key: PublicKey


@dataclass(frozen=True, slots=True)
class Consent:
    """A keyholder has found its own key in the announcement with this digest, and takes part."""

    session: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """The curator opens a round: who reads the answers, and which column sets are asked for.

    Attributes:
        round: from 1.
        reader: who reads the answers.
        asks: column sets, by numbers; one ballot answers one.
        hidden: what people do to their values before they say them, one rule a column at most.
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
    """A user hands in its answers of one round: one envelope for the first shuffler.

    Attributes:
        envelope: sealed to the first shuffler.
        signature: over session, round and envelope, where users are registered; else empty.
        witness: the board's head that the user saw, as bytes; empty where none is signed.
    """

    envelope: bytes
    signature: bytes = b""
    witness: bytes = b""


@dataclass(frozen=True, slots=True)
class Batch:
    """A shuffler hands on all it has opened, at once."""

    layers: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Mixed:
    """A shuffler accounts for its batch: what came, what went, what it refused, and a digest.

    Attributes:
        hop: from 1.
        people: users whose envelope opened (first shuffler only, else 0).
        received: layers that came.
        forwarded: layers that went on.
        refused: layers that did not, by reason.
        digest: of the batch that went on, 32 bytes.
    """

    hop: int
    people: int
    received: int
    forwarded: int
    refused: Mapping[Reason, int]
    digest: bytes


@dataclass(frozen=True, slots=True)
class Tally:
    """A reader publishes what it read: people per column set, refusals, and the counts if public.

    Attributes:
        totals: ballots for each column set that was asked.
        refused: ballots that did not count, by reason.
        counts: people by combination, for each column set; None where they are not published.
    """

    totals: tuple[int, ...]
    refused: Mapping[Reason, int]
    counts: tuple[Counts, ...] | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the curator claims of the columns it keeps, in numbers that anyone can check.

    Attributes:
        rule: the name of the theorem that it is by.
        k: the smallest crowd in which nobody is exposed.
        n: people who were counted.
        people: at most so many of the n people are in a crowd smaller than k.
        thresholds: one count per kept column; pivot and slack where the rule has them (Theorem 2's
            column, Theorem 3's c).
        pivot: the column that Theorem 2 counts by; None for other rules.
        slack: Theorem 3's c; None for other rules.
        proof: what else the rule needs to be checked, in its own words (JSON); mostly nothing.
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
        hidden: what people do to their values before they say them to the analyst.
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
    """Who may send: the Ed25519 public key of every user, in their order. None of them twice."""

    keys: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if any(len(key) != SIGNING_KEY for key in self.keys):
            raise ParameterError(f"registry: a key of {SIGNING_KEY} bytes is accepted")
        if len(set(self.keys)) < len(self.keys):
            raise ParameterError("registry: two users have the same key; every user needs its own")


@dataclass(frozen=True, slots=True)
class Roster:
    """Who signs in a session: the identity keys (Ed25519) of all who post, known beforehand.

    Attributes:
        opening: 16 bytes that tell two sessions of the same parties apart, agreed upon with the
            rest.
        board: the key of whoever keeps the board, 32 bytes, as are the others.
        curator: the curator's key.
        analyst: the analyst's key.
        shufflers: the shufflers' keys, in the order of the hops.
        randomness: that of `randomness`; empty where there is no such party.
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
        """The identity key of a party, by its name; None for whoever has none."""
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
    """The board signs what stands on it at a place: the call of a round, or (0) the end.

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
    """Somebody has found that something is wrong in a round, and says by what it can be seen.

    Attributes:
        round: from 1.
        cause: what is wrong.
        evidence: what shows it, as the cause asks; mostly empty.
    """

    round: int
    cause: Cause
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An envelope that was accepted: whose it is among the registered, digest, signature.

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
    """The first shuffler shows whose envelopes it has taken, by place in the registry."""

    people: tuple[Envelope, ...]

    def __post_init__(self) -> None:
        if any(a.person >= b.person for a, b in pairwise(self.people)):
            raise ParameterError("people: ascending places are accepted, none twice")


@dataclass(frozen=True, slots=True)
class BallotMarks:
    """A reader shows what has come before it opens anything: marks of locked ballots, ascending."""

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
)
