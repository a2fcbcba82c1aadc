"""The announcement: all terms on which the parties must agree, in one canonical encoding.

The SHA-256 of that encoding is the session's digest. It is bound inside every layer of every onion.
So a user that was shown another announcement seals messages that do not open: it is absent, not
identified.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, TypeVar

from ...crypto.keys import PublicKey, SuiteCode
from ...errors import ParameterError, Reason, Refused
from . import parties
from .coarsening import read_rule, write_rule
from .crowd_limits import MIN_BATCH
from .fields import Codec
from .records import Body
from .rows_per_person import MOST_ROWS
from .schema import Feature, Schema
from .wire import Reader, Writer, decode

KEY = Codec(
    "key", lambda data: PublicKey.decode(data.blob()), lambda out, key: out.blob(key.encode())
)
LABEL = b"veilmix announcement 1\0"
NONCE = 16  # bytes; two sessions that agree in everything else still differ
REGISTRY = 32  # bytes: the root of the registry of users, if there is one
MAX_SHUFFLERS = 64
PUBLIC, COARSER = 1, 2  # bits of a feature on the wire: lists its values; has rules
PAIR = 2  # shufflers
# wire bits of the additions to ballots and of the kind of mix
TOKENS, CHALLENGE, AUDIT, VERIFIED = 1, 2, 4, 8
ROWS = 16  # wire bit: a person has several rows, and their number follows
Name = TypeVar("Name", bound=StrEnum)

MAX_ANSWERS = (1 << 31) - 1  # people in a session: a count is four bytes on the wire


class Setting(StrEnum):
    """The respondents of the second round: the users of the first, or others of one population."""

    FIXED = "fixed"
    STATISTICAL = "statistical"


class Program(StrEnum):
    """The sequence of queries of a session."""

    TWO_ROUND = "two-round"
    RANDOMIZED = "randomized"
    HIERARCHICAL = "hierarchical"
    LOCAL_SUPPRESSION = "local-suppression"
    TWO_ROUND_ONCE = "two-round-once"
    THRESHOLD = "threshold"


class Flaw(StrEnum):
    r"""A design error that a lesson may ask for: a protocol without a certain countermeasure.

    unbound: layers are not bound to session, round and question. repeats: shufflers do not drop
    repeated layers. bundled: a person's answers travel in one onion, which the first shuffler does
    not take apart. one-salt, one-key: a person uses one salt, or one ephemeral key for each hop,
    for all answers of a round.

    Bytes: with unbound every context is SHA-256("veilmix layer of a lesson 1\0"). With repeats a
    batch may hold repeats. With bundled an envelope holds one onion around one blob (wire.py) a
    question, each an unpadded ballot, and padding; its size is questions times (4 + the longest
    unpadded ballot) plus 1.
    """

    UNBOUND = "unbound"
    REPEATS = "repeats"
    BUNDLED = "bundled"
    ONE_SALT = "one-salt"
    ONE_KEY = "one-key"


UNPROMISED = ("fixed", "all")  # rules that release columns without a certified bound


@dataclass(frozen=True, slots=True)
class AnnouncedPolicy:
    """The promise of the curator, and its decision rule.

    Attributes:
        k: the smallest safe class size in people, at least 1.
        max_exposure: the maximal share (0 to 1) of people in smaller classes.
        rule: the name of the decision rule (`coverage`, `fixed`, ...), or in the program
            `randomized` the randomizer of answers (`grr epsilon=1`).
        publish_marginals: whether round 1's counts go on the board, so that every party can repeat
            the decision.
        setting: the respondents of round 2.
        delta: in the statistical setting, the probability (0 to 1, exclusive) with which the
            promise may fail; 0 in the fixed setting, where it cannot.
    """

    k: int
    max_exposure: float
    rule: str = "coverage"
    publish_marginals: bool = False
    setting: Setting = Setting.FIXED
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MAX_ANSWERS:
            raise ParameterError(f"k: found {self.k}; 1 to {MAX_ANSWERS} are accepted")
        if not 0 <= self.max_exposure <= 1:
            raise ParameterError(
                f"max_exposure: found {self.max_exposure}; a share from 0 to 1 is accepted"
            )
        if not (0 < self.delta < 1 if self.setting is Setting.STATISTICAL else self.delta == 0):
            raise ParameterError(
                f"delta: found {self.delta} in the {self.setting} setting; a probability between "
                "0 and 1 is accepted in the statistical one, 0 in the fixed one"
            )


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of messages: deadlines, smallest batches, guards that a lesson may switch off.

    Attributes:
        deadline: seconds from a call to the close of its collection.
        min_batch: the smallest number of users; a round with fewer is burned.
        min_dropout: a second round is released only if no user or at least this many users left
            after the first.
        padded, salted, ordered: one size a round, a fresh salt a ballot, batches in sorted order.
        lesson: whether guards may be off: such rules are not for data of real people.
        tokens: every ballot carries a token that the round's reader gave to a registered person
            (tokens.py).
        challenge: ballots are opened only after users could look for theirs (challenge.py).
        audit: half of the layers of every pair of hops are opened (audit.py).
        verified: every step of the mix is proved (verified_round.py).
        flaws: design errors, in their order; only in a lesson.
        rows: ballots of each person to a query: one for each of its different answers, the rest
            dummies (rows_per_person.py); 1: each person has one row.
    """

    deadline: int = 60
    min_batch: int = MIN_BATCH
    min_dropout: int = 10
    padded: bool = True
    salted: bool = True
    ordered: bool = True
    lesson: bool = False
    tokens: bool = False
    challenge: bool = False
    audit: bool = False
    verified: bool = False
    flaws: tuple[Flaw, ...] = ()
    rows: int = 1

    def __post_init__(self) -> None:
        if self.flaws and not self.lesson:
            raise ParameterError(f"flaws: found {', '.join(self.flaws)}; only a lesson has any")
        if self.flaws != tuple(flaw for flaw in Flaw if flaw in self.flaws):
            raise ParameterError("flaws: each is named once, in their order")
        # A guard rests on steps that a lesson's design errors leave out: a token on the salt, an
        # opened or followed ballot on its size and its place in the sorted batch.
        if self.tokens and (self.flaws or not self.salted):
            raise ParameterError("tokens: each stands on a salt, and on no design error")
        careful = self.salted and self.padded and self.ordered and not self.flaws
        if self.challenge and not careful:
            raise ParameterError("challenge: ballots are salted, padded, sorted; no design errors")
        if self.audit and not careful:
            raise ParameterError("audit: ballots are salted, padded, sorted; no design errors")
        if self.verified and (self.tokens or self.challenge or self.audit or not careful):
            raise ParameterError(
                "verified: its steps are proved; tokens, challenge, audit and design errors are of "
                "onions"
            )
        if not 1 <= self.rows <= MOST_ROWS:
            raise ParameterError(f"rows: found {self.rows}; 1 to {MOST_ROWS} are accepted")
        if self.rows > 1 and not (careful and not (self.audit or self.verified)):
            raise ParameterError(
                "rows: several ballots of a person are salted, padded, sorted, and without audit, "
                "proofs and design errors"
            )
        for name, value in (
            ("deadline", self.deadline),
            ("min_batch", self.min_batch),
            ("min_dropout", self.min_dropout),
        ):
            if not 1 <= value <= MAX_ANSWERS:
                raise ParameterError(f"{name}: found {value}; 1 to {MAX_ANSWERS} are accepted")

    @property
    def names_people(self) -> bool:
        """Whether the board shows the names of respondents, with their envelopes or ballots."""
        return self.challenge or self.audit or self.verified


@dataclass(frozen=True, slots=True)
class Announcement(Body):
    """A session, as the curator announces it on the board.

    The keys are fresh for the session, all of one suite. Raises ParameterError if a field is out of
    range.

    Attributes:
        title: the title of the session, in words for users.
        nonce: random bytes, NONCE of them, so that no two sessions are the same.
        schema: the columns that users are asked for.
        policy: the limits of the curator's release.
        rules: the rules of the rounds: sizes, times, guards.
        shufflers: the public keys of the mix, in the order in which messages pass.
        curator: the key that answers of the first round are sealed for.
        analyst: the key that answers of the last round are sealed for.
        program: the release program.
        registry: the root of the registry of users who may send (registered_users.py); empty: all
        users may.
    """

    title: str
    nonce: bytes
    schema: Schema
    policy: AnnouncedPolicy
    rules: Rules
    shufflers: tuple[PublicKey, ...]
    curator: PublicKey
    analyst: PublicKey
    program: Program = Program.TWO_ROUND
    registry: bytes = b""

    def __post_init__(self) -> None:
        if len(self.registry) not in (0, REGISTRY):
            raise ParameterError(
                f"registry: found {len(self.registry)} bytes; {REGISTRY} are accepted, or none"
            )
        if self.rules.tokens and not self.registry:
            raise ParameterError("tokens: they are for registered people; there is no registry")
        # Keyholders check signatures of accepted envelopes, and the first shuffler could accept
        # people of its own if no registry said whose signatures count.
        for name in (name for name in ("challenge", "audit") if getattr(self.rules, name)):
            if not self.registry:
                raise ParameterError(f"{name}: it is for registered people; there is no registry")
            if self.curator.suite is not SuiteCode.SEALEDBOX:
                raise ParameterError(f"{name}: others open layers again; sealedbox is accepted")
        if self.rules.verified and not self.registry:
            raise ParameterError("verified: it is for registered people; there is no registry")
        if self.rules.verified and self.program is Program.THRESHOLD:
            raise ParameterError("verified: its answers open together, not k at a time")
        if self.once and not (self.rules.verified and self.policy.setting is Setting.FIXED):
            raise ParameterError(
                f"{self.program}: it is of a verified mix, and asks the same people in both rounds"
            )
        if self.rules.audit and len(self.shufflers) < PAIR:
            raise ParameterError("audit: hops are audited in pairs; two shufflers are needed")
        careful = self.rules.padded and self.rules.salted and not self.rules.flaws
        plain = not (self.rules.tokens or self.rules.challenge or self.rules.audit)
        if self.rules.rows > 1 and not self.takes_rows:
            raise ParameterError(
                f"rows: {self.program}, {self.policy.setting}; several rows of a person are of "
                f"{Program.TWO_ROUND} with {Setting.FIXED} people"
            )
        if self.program is Program.THRESHOLD and not (careful and plain):
            raise ParameterError(
                "threshold: messages are padded and salted, and neither locked nor behind tokens"
            )
        if len(self.nonce) != NONCE:
            raise ParameterError(f"nonce: found {len(self.nonce)} bytes; {NONCE} are accepted")
        if not 1 <= len(self.shufflers) <= MAX_SHUFFLERS:
            raise ParameterError(
                f"shufflers: found {len(self.shufflers)}; 1 to {MAX_SHUFFLERS} are accepted"
            )
        keys = (*self.shufflers, self.curator, self.analyst)
        if len({key.suite for key in keys}) > 1:
            raise ParameterError("the parties' keys belong to different suites; one is accepted")
        if len(set(keys)) < len(keys):
            raise ParameterError("two parties have the same key; every party needs its own")

    @property
    def takes_rows(self) -> bool:
        """Whether its program and its setting have a meaning for persons with several rows."""
        return self.program is Program.TWO_ROUND and self.policy.setting is Setting.FIXED

    @property
    def once(self) -> bool:
        """Whether users submit once: round 2 mixes ballots of round 1 (verified_round.py)."""
        return self.program is Program.TWO_ROUND_ONCE

    def reuses_ballots(self, reader: parties.Role) -> bool:
        """Whether a round of this reader mixes ballots that were submitted in round 1."""
        return self.once and reader is parties.Role.ANALYST

    @property
    def commits(self) -> bool:
        """Whether the curator commits to its certificate, and opens it later (commitment.py)."""
        return not self.policy.publish_marginals and self.program is not Program.THRESHOLD

    @property
    def suite(self) -> SuiteCode:
        """The code of the suite of every key, and so of every layer."""
        return self.curator.suite

    def key(self, party: str) -> PublicKey:
        """Return the public key of the curator, the analyst or a shuffler."""
        match parties.role(party):
            case parties.Role.CURATOR:
                return self.curator
            case parties.Role.ANALYST:
                return self.analyst
            case parties.Role.SHUFFLER if parties.index(party) < len(self.shufflers):
                return self.shufflers[parties.index(party)]
        raise ParameterError(f"{party} has no key in this session")

    def encode(self) -> bytes:
        """Return the canonical encoding; there is no second encoding."""
        out = Writer().text(self.title).text(self.program).raw(self.nonce)
        out.structures(self.schema.features, write_feature)
        write_terms(out, self.policy, self.rules)
        out.structures(self.shufflers, KEY.write)
        out.blob(self.curator.encode()).blob(self.analyst.encode())
        return out.blob(self.registry).finish()

    @classmethod
    def read(cls, data: Reader) -> Self:
        """Take an announcement behind its length."""
        return decode(data.blob(), _read)  # type: ignore[return-value]

    def write(self, out: Writer) -> None:
        """Append the announcement behind its length."""
        out.blob(self.encode())

    def digest(self) -> bytes:
        """Hash the encoding: the name of the session, 32 bytes."""
        return hashlib.sha256(LABEL + self.encode()).digest()


def decode_announcement(data: bytes) -> Announcement:
    """Any party: read an announcement; Refused if it is not the encoding of one."""
    return decode(data, _read)


def write_terms(out: Writer, policy: AnnouncedPolicy, rules: Rules) -> None:
    """Write the policy and the rules."""
    out.u32(policy.k).f64(policy.max_exposure)
    out.text(policy.rule).flag(policy.publish_marginals)
    out.text(policy.setting).f64(policy.delta)
    out.u32(rules.deadline).u32(rules.min_batch).u32(rules.min_dropout)
    out.flag(rules.padded).flag(rules.salted).flag(rules.ordered)
    out.flag(rules.lesson)
    guards = [(rules.tokens, TOKENS), (rules.challenge, CHALLENGE), (rules.audit, AUDIT)]
    guards += [(rules.verified, VERIFIED), (rules.rows > 1, ROWS)]
    out.u8(sum(on * bit for on, bit in guards))
    if rules.rows > 1:
        out.u16(rules.rows)
    out.structures(rules.flaws, Writer.text)


def write_feature(out: Writer, feature: Feature) -> None:
    """Write a feature, its domain, and the rules that make its values coarser."""
    kind = (PUBLIC if feature.values is not None else 0) | (COARSER if feature.rules else 0)
    out.text(feature.name).u16(feature.width).u8(kind)
    if feature.values is not None:
        out.structures(feature.values, Writer.text)
    if feature.rules:
        out.structures(feature.rules, write_rule)


def read_feature(data: Reader) -> Feature:
    """Read a feature, its domain and its rules."""
    name, width, kind = data.text(), data.u16(), data.u8()
    if not width or kind > PUBLIC | COARSER:
        raise Refused(Reason.MALFORMED)  # a caller may leave the width out, a sender may not
    values = data.structures(Reader.text) if kind & PUBLIC else None
    rules = data.structures(read_rule) if kind & COARSER else ()
    if kind & COARSER and not rules:
        raise Refused(Reason.MALFORMED)
    return Feature(name, values, width, rules)


def read_terms(data: Reader) -> tuple[AnnouncedPolicy, Rules]:
    """Read the policy and the rules."""
    promise = (data.u32(), data.f64(), data.text(), data.flag())
    policy = AnnouncedPolicy(*promise, _read_name(data, Setting), data.f64())
    numbers = (data.u32(), data.u32(), data.u32())
    flags = (data.flag(), data.flag(), data.flag(), data.flag())
    guards = data.u8()
    if guards > TOKENS | CHALLENGE | AUDIT | VERIFIED | ROWS:
        raise Refused(Reason.MALFORMED)
    rows = data.u16() if guards & ROWS else 1
    if guards & ROWS and rows <= 1:
        raise Refused(Reason.MALFORMED)
    tokens, challenge, audit = (bool(guards & bit) for bit in (TOKENS, CHALLENGE, AUDIT))
    return policy, Rules(
        *(*numbers, *flags, tokens, challenge, audit, bool(guards & VERIFIED)),
        data.structures(lambda r: _read_name(r, Flaw)),
        rows,
    )


def _read_name(data: Reader, names: type[Name]) -> Name:
    name = data.text()
    if name not in set(names):
        raise Refused(Reason.MALFORMED)
    return names(name)


def _read(data: Reader) -> Announcement:
    title, program, nonce = data.text(), _read_name(data, Program), data.raw(NONCE)
    schema = Schema(data.structures(read_feature))
    policy, rules = read_terms(data)
    shufflers = data.structures(KEY.read)
    readers = (KEY.read(data), KEY.read(data))
    return Announcement(
        title, nonce, schema, policy, rules, shufflers, *readers, program, data.blob()
    )
