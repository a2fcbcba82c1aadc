"""The announcement: all terms on which the parties must agree, in one canonical encoding.

The SHA-256 of the encoding is the session's digest. It is bound inside every layer of every onion.
So if the curator shows a user another announcement, the user's messages do not open: the user is
missing from the round, but its answers stay secret.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from ...crypto.keys import PublicKey, SuiteCode
from ...errors import ParameterError
from . import parties
from .crowd_limits import MIN_BATCH
from .fields import (
    DOUBLE,
    Array,
    Bit,
    Blob,
    Codec,
    Double,
    FixedBytes,
    Flag,
    Flagged,
    Name,
    Nested,
    Number,
    Text,
)
from .records import Body, MessageRecord, fields_reader, fields_writer
from .rows_per_person import MOST_ROWS
from .schema import Schema
from .wire import Writer, decode

KEY = Codec(
    "key", lambda data: PublicKey.decode(data.blob()), lambda out, key: out.blob(key.encode())
)
LABEL = b"veilmix announcement 1\0"
NONCE = 16  # random bytes, so that two sessions with equal terms still differ
REGISTRY = 32  # bytes of the Merkle root of the registered users' keys, if users are registered
MAX_SHUFFLERS = 64
PAIR = 2  # an audit needs at least two shufflers, since it checks hops in pairs
# largest number of people, and largest k, minimum batch and deadline: a signed integer of four
# bytes
MAX_ANSWERS = (1 << 31) - 1

Positive = Annotated[int, Number(4, minimum=1, maximum=MAX_ANSWERS)]
PartyKey = Annotated[PublicKey, KEY]


class Setting(StrEnum):
    """The relation of the people in round 2 to the people in round 1.

    FIXED: the same users. STATISTICAL: other users of the same population.
    """

    FIXED = "fixed"
    STATISTICAL = "statistical"


class Program(StrEnum):
    """The release program of a session: its sequence of queries (strategies.py explains each)."""

    TWO_ROUND = "two-round"
    RANDOMIZED = "randomized"
    HIERARCHICAL = "hierarchical"
    LOCAL_SUPPRESSION = "local-suppression"
    TWO_ROUND_ONCE = "two-round-once"
    THRESHOLD = "threshold"


class Flaw(StrEnum):
    r"""A deliberate weakness of the protocol, announced by a teaching session (a lesson).

    A lesson demonstrates an attack that the weakness permits.

    unbound: layers are not bound to session, round and question. repeats: shufflers do not drop
    repeated layers. bundled: a person's answers travel in one onion, which the first shuffler does
    not take apart. one-salt, one-key: a person uses one salt, or one ephemeral key for each hop,
    for all answers of a round.

    Bytes: with unbound every context is SHA-256("veilmix layer of a lesson 1\0"). With repeats a
    batch may hold repeats. With bundled an envelope holds a single onion. The plaintext of this
    onion is, for each question, an unpadded ballot as a blob (wire.py), then padding. Its size is
    the number of questions times (4 + the longest unpadded ballot), plus 1.
    """

    UNBOUND = "unbound"
    REPEATS = "repeats"
    BUNDLED = "bundled"
    ONE_SALT = "one-salt"
    ONE_KEY = "one-key"


UNPROMISED = ("fixed", "all")  # rules that release columns without a certified bound


@dataclass(frozen=True, slots=True)
class AnnouncedPolicy(MessageRecord):
    """The limits that the curator promises to respect in its release, and its decision rule.

    Attributes:
        k: the smallest safe class size in people, at least 1.
        max_exposure: the maximal share (0 to 1) of people in smaller classes.
        rule: the name of the decision rule (`coverage`, `fixed`, ...), or in the program
            `randomized` the randomizer of answers (`grr epsilon=1`).
        publish_marginals: whether round 1's counts go on the board, so that every party can repeat
            the decision.
        setting: the relation of the people in round 2 to the people in round 1.
        delta: in the statistical setting, the probability (0 to 1, exclusive) with which the
            promised limit may fail; 0 in the fixed setting, where it always holds.
    """

    k: Positive
    max_exposure: Annotated[float, Double(maximum=1.0)]
    rule: Text = "coverage"
    publish_marginals: Flag = False
    setting: Annotated[Setting, Name(Setting)] = Setting.FIXED
    delta: Annotated[float, DOUBLE] = 0.0

    def check(self) -> None:
        """Raise ParameterError unless the failure probability delta fits the setting."""
        if not (0 < self.delta < 1 if self.setting is Setting.STATISTICAL else self.delta == 0):
            raise ParameterError(
                f"delta: found {self.delta} in the {self.setting} setting; a probability between "
                "0 and 1 is accepted in the statistical setting, 0 in the fixed setting"
            )


@dataclass(frozen=True, slots=True)
class Rules(MessageRecord):
    """The announced rules of messages: deadlines, smallest batches, countermeasures.

    Attributes:
        deadline: seconds that users have to submit after a call.
        min_batch: the smallest number of users; a round with fewer is aborted.
        min_dropout: a second round is released only if no user or at least this many users left
            after the first.
        padded, salted, ordered: whether all ballots of a round have one size, each ballot has a
            fresh salt, and batches are sorted.
        lesson: whether countermeasures may be off: such rules are not for data of real people.
        tokens: whether every ballot carries a token (blind credential) that the round's curator or
            analyst gave to a registered person (tokens.py).
        challenge: whether users can check that their ballots arrived before any is opened
            (challenge.py).
        audit: whether shufflers open half of the layers of every pair of hops as proof (audit.py).
        verified: whether every step of the mix is proved (verified_round.py).
        rows: ballots of each person to a query: one for each of its different answers, the rest
            dummies (rows_per_person.py); 1: each person has one row.
        flaws: deliberate weaknesses, in the order of `Flaw`; only in a lesson.
    """

    deadline: Positive = 60
    min_batch: Positive = MIN_BATCH
    min_dropout: Positive = 10
    padded: Flag = True
    salted: Flag = True
    ordered: Flag = True
    lesson: Flag = False
    tokens: Bit = False
    challenge: Bit = False
    audit: Bit = False
    verified: Bit = False
    rows: Annotated[int, Flagged(Number(2, minimum=2, maximum=MOST_ROWS), absent=1)] = 1
    flaws: Annotated[tuple[Flaw, ...], Array(Name(Flaw), order="listed")] = ()

    def check(self) -> None:
        """Raise ParameterError if a countermeasure needs steps that these rules leave out.

        Tokens need salts. The other countermeasures need salted, padded and sorted ballots, and no
        flaws.
        """
        if self.flaws and not self.lesson:
            raise ParameterError(
                f"flaws: found {', '.join(self.flaws)}; deliberate weaknesses are accepted only in "
                "a lesson"
            )
        # A countermeasure needs steps that a scenario may switch off on purpose, to show an attack.
        # A token is bound to a ballot's salt. A party can follow a ballot safely only if all
        # ballots have one size and batches are sorted.
        if self.tokens and (self.flaws or not self.salted):
            raise ParameterError(
                "tokens: salted ballots are needed; flaws (deliberate weaknesses of a lesson) are "
                "not accepted"
            )
        careful = self.salted and self.padded and self.ordered and not self.flaws
        if self.challenge and not careful:
            raise ParameterError(
                "challenge: a check of arrivals needs salted, padded and sorted ballots; flaws "
                "(deliberate weaknesses of a lesson) are not accepted"
            )
        if self.audit and not careful:
            raise ParameterError(
                "audit: salted, padded and sorted ballots are needed; flaws (deliberate weaknesses "
                "of a lesson) are not accepted"
            )
        if self.verified and (self.tokens or self.challenge or self.audit or not careful):
            raise ParameterError(
                "verified: salted, padded and sorted ballots are needed; tokens, challenge, audit "
                "and flaws (deliberate weaknesses of a lesson) are accepted only in mixes of onions"
            )
        if self.rows > 1 and not (careful and not (self.audit or self.verified)):
            raise ParameterError(
                "rows: several ballots of a person need salts, padding and sorted batches; audit, "
                "a verified mix and flaws (deliberate weaknesses of a lesson) are not accepted"
            )

    @property
    def names_people(self) -> bool:
        """Whether the board shows the names of respondents, with their envelopes or ballots."""
        return self.challenge or self.audit or self.verified


@dataclass(frozen=True, slots=True)
class Announcement(Body):
    """A session, as the curator announces it on the board.

    The keys are fresh for the session, all of one suite. ParameterError if a field is out of range.

    Attributes:
        title: the title of the session, in words for users.
        nonce: random bytes, NONCE of them, so that no two sessions are the same.
        schema: the columns that users are asked for.
        policy: the limits of the curator's release.
        rules: the rules of the rounds: sizes, times, countermeasures.
        shufflers: the public keys of the mix, in the order in which messages pass.
        curator: the public key to which answers of the first round are sealed.
        analyst: the public key to which answers of the last round are sealed.
        program: the release program.
        registry: the Merkle root of the keys of registered users (registered_users.py); empty if
            all users may submit.
    """

    title: Text
    nonce: Annotated[bytes, FixedBytes(NONCE)]
    schema: Annotated[Schema, Nested(Schema, spread=True)]
    policy: Annotated[AnnouncedPolicy, Nested(AnnouncedPolicy, spread=True)]
    rules: Annotated[Rules, Nested(Rules, spread=True)]
    shufflers: Annotated[tuple[PublicKey, ...], Array(KEY, minimum=1, maximum=MAX_SHUFFLERS)]
    curator: PartyKey
    analyst: PartyKey
    program: Annotated[Program, Name(Program)] = Program.TWO_ROUND
    registry: Annotated[bytes, Blob((0, REGISTRY))] = b""
    ORDER = (
        *("title", "program", "nonce", "schema", "policy", "rules"),
        *("shufflers", "curator", "analyst", "registry"),
    )
    MEASURED = True

    def check(self) -> None:
        """Raise ParameterError if countermeasures, program and keys do not fit together."""
        if self.rules.tokens and not self.registry:
            raise ParameterError("tokens: registered users are needed; there is no registry")
        # Keyholders check users' signatures on accepted envelopes. Without a registry of users'
        # keys, the first shuffler could invent people and sign their envelopes.
        for name in (name for name in ("challenge", "audit") if getattr(self.rules, name)):
            if not self.registry:
                raise ParameterError(f"{name}: registered users are needed; there is no registry")
            if self.curator.suite is not SuiteCode.SEALEDBOX:
                raise ParameterError(
                    f"{name}: found suite {self.curator.suite.name.lower()}; sealedbox is "
                    "accepted, because other parties can check its layers"
                )
        if self.rules.verified and not self.registry:
            raise ParameterError("verified: registered users are needed; there is no registry")
        if self.rules.verified and self.program is Program.THRESHOLD:
            raise ParameterError(
                "verified: the program threshold has no verified mix; an onion mix is accepted"
            )
        if self.once and not (self.rules.verified and self.policy.setting is Setting.FIXED):
            raise ParameterError(
                f"{self.program}: a verified mix and the fixed setting are needed: the same people "
                "are asked in both rounds"
            )
        if self.rules.audit and len(self.shufflers) < PAIR:
            raise ParameterError("audit: hops are audited in pairs; two shufflers are needed")
        careful = self.rules.padded and self.rules.salted and not self.rules.flaws
        plain = not (self.rules.tokens or self.rules.challenge or self.rules.audit)
        if self.rules.rows > 1 and not self.takes_rows:
            raise ParameterError(
                f"rows: found the program {self.program} in the {self.policy.setting} setting; "
                f"several rows of a person are accepted in {Program.TWO_ROUND} in the "
                f"{Setting.FIXED} setting, with the same people in both rounds"
            )
        if self.program is Program.THRESHOLD and not (careful and plain):
            raise ParameterError(
                "threshold: padding and salts are needed; challenge, audit, tokens and flaws "
                "(deliberate weaknesses of a lesson) are not accepted"
            )
        keys = (*self.shufflers, self.curator, self.analyst)
        if len({key.suite for key in keys}) > 1:
            raise ParameterError("the parties' keys belong to different suites; one is accepted")
        if len(set(keys)) < len(keys):
            raise ParameterError("two parties have the same key; every party needs its own")

    @property
    def takes_rows(self) -> bool:
        """Whether each person may have several rows, by the program and the setting."""
        return self.program is Program.TWO_ROUND and self.policy.setting is Setting.FIXED

    @property
    def once(self) -> bool:
        """Whether users submit once, and round 2 mixes round 1's ballots (verified_round.py)."""
        return self.program is Program.TWO_ROUND_ONCE

    def reuses_ballots(self, reader: parties.Role) -> bool:
        """Whether the round that curator or analyst counts mixes round 1's ballots again."""
        return self.once and reader is parties.Role.ANALYST

    @property
    def commits(self) -> bool:
        """Whether the curator posts a commitment (a hash) to its certificate, and opens it later.

        It does if the counts behind the certificate are secret, except in the program `threshold`
        (commitment.py).
        """
        return not self.policy.publish_marginals and self.program is not Program.THRESHOLD

    @property
    def suite(self) -> SuiteCode:
        """The code of the cipher suite of all keys, and so of every layer."""
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
        """Return the canonical encoding of the announcement, the only valid one."""
        out = Writer()
        fields_writer(Announcement)(self, out)
        return out.finish()

    def digest(self) -> bytes:
        """Return the digest that identifies the session: a SHA-256 over the encoding, 32 bytes."""
        return hashlib.sha256(LABEL + self.encode()).digest()


def decode_announcement(data: bytes) -> Announcement:
    """Any party: return the announcement in these bytes; Refused for other bytes."""
    return decode(data, fields_reader(Announcement))  # type: ignore[no-any-return]
