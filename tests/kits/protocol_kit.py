"""What the tests of the protocol share: a small session, and strategies for all that is said in it.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import KeyPair
from veilmix.crypto.signing import Signer
from veilmix.crypto.suites import SUITES, suite
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.ballots import Sealed, submit
from veilmix.protocol.rounds.mixing import arrange, check_batch, open_envelope, open_layers
from veilmix.protocol.rounds.registered_users import registry_root
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import (
    AnnouncedPolicy,
    Announcement,
    Flaw,
    Program,
    Rules,
    Setting,
)
from veilmix.protocol.wire.bodies import TABLE
from veilmix.protocol.wire.fields import (
    Array,
    Blob,
    Codec,
    Either,
    EqualSize,
    FieldType,
    FixedBytes,
    Items,
    Maybe,
    Name,
    Nested,
    Number,
)
from veilmix.protocol.wire.frames import Message, Seal
from veilmix.protocol.wire.hiding_rules import Hiding, Mask, Redact
from veilmix.protocol.wire.messages import (
    Body,
    Call,
    CommittedDecision,
    Consent,
    Decision,
    DecisionCertificate,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.records import order_key, row_of
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.token_messages import (
    Grant,
)
from veilmix.protocol.wire.verified_messages import (
    ShuffledLists,
)

SIGNERS = [Signer(SeededEntropy(i)) for i in range(3)]  # of registered people
REGISTRY = Registry(tuple(signer.public for signer in SIGNERS))
ROOT = registry_root(REGISTRY)

SCHEMA = Schema(
    (
        Feature("colour", ("red", "green", "blue")),
        Feature("city", None, 12),
        Feature("grown", ("yes", "no")),
    )
)
ROWS = (("red", "Oslo", "yes"), ("green", "Zürich", "no"), ("blue", "x", "yes"))
SINGLES = Call(1, Role.CURATOR, ((0,), (1,), (2,)))
JOINT = Call(2, Role.ANALYST, ((0, 2),))


def pair(party: str, name: str = "sealedbox", seed: int = 7) -> KeyPair:
    """Give the key pair that a party has in the sessions of these tests."""
    return suite(name, lesson=True).keypair(SeededEntropy(seed).fork(party))


@dataclass(frozen=True)
class Session:
    """An announcement, and the secret keys that belong to it."""

    announcement: Announcement
    keys: dict[str, KeyPair]

    def plan(self, call: Call = SINGLES) -> Round:
        return open_round(self.announcement, self.announcement.digest(), call)


def session(
    shufflers: int = 1,
    name: str = "sealedbox",
    schema: Schema = SCHEMA,
    rules: Rules | None = None,
    seed: int = 7,
    **changes: Any,
) -> Session:
    """Open a session; `changes` are other fields of the announcement."""
    names = [parties.shuffler(hop + 1) for hop in range(shufflers)]
    keys = {party: pair(party, name, seed) for party in (*names, "curator", "analyst")}
    rules = rules or Rules(lesson=name == "textbook")
    fields: dict[str, Any] = {
        "title": "a test",
        "nonce": bytes(range(16)),
        "schema": schema,
        "policy": AnnouncedPolicy(2, 0.5),
        "rules": rules,
        "shufflers": tuple(keys[party].public for party in names),
        "curator": keys["curator"].public,
        "analyst": keys["analyst"].public,
    } | changes
    return Session(Announcement(**fields), keys)


def seal(plan: Round, rows: Any = ROWS, seed: int = 1) -> list[Sealed]:
    """Have everybody submit."""
    root = SeededEntropy(seed)
    return [submit(plan, row, root.fork(str(i))) for i, row in enumerate(rows)]


def mix(held: Session, plan: Round, envelopes: list[bytes]) -> list[bytes]:
    """Send envelopes through every shuffler and open the reader's layer; nothing may be refused."""
    onions = [
        onion
        for envelope in envelopes
        for onion in open_envelope(plan, held.keys["shuffler-1"].secret, envelope)
    ]
    batch, repeats = arrange(plan, onions)
    assert not repeats
    for hop, party in enumerate(plan.openers[1:], start=2):
        check_batch(plan, batch)
        opened = open_layers(plan, hop, held.keys[party].secret, batch)
        assert not opened.refused
        if hop == len(plan.hops):
            break
        batch, repeats = arrange(plan, opened.inside)
        assert not repeats
    return opened.inside


# Strategies

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8)
WORDS = NAMES.filter(lambda text: text == text.strip())
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
U32 = st.integers(0, 2**32 - 1)
COUNT = st.integers(1, 2**31 - 1)
DIGESTS = st.binary(min_size=32, max_size=32)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
POOL = {name: [pair(f"pool-{i}", name) for i in range(6)] for name in SUITES}


@st.composite
def features(draw: Any, name: str) -> Feature:
    if draw(st.booleans()):
        return Feature(name, None, draw(st.integers(1, 40)))
    values = tuple(draw(st.lists(WORDS, min_size=1, max_size=5, unique=True)))
    longest = max(len(value.encode()) for value in values)
    return Feature(name, values, longest + draw(st.integers(0, 5)))


@st.composite
def schemas(draw: Any, most: int = 5) -> Schema:
    names = draw(st.lists(WORDS, min_size=1, max_size=most, unique=True))
    return Schema(tuple(draw(features(name)) for name in names))


@st.composite
def announcements(draw: Any) -> Announcement:
    name = draw(st.sampled_from(sorted(SUITES)))
    keys = draw(st.permutations(POOL[name]))[: draw(st.integers(3, 6))]
    public = [key.public for key in keys]
    salted, lesson = draw(st.booleans()), draw(st.booleans())
    rules = Rules(
        *(draw(COUNT) for _ in range(3)),
        *(draw(st.booleans()), salted, draw(st.booleans()), lesson),
        flaws=tuple(flaw for flaw in Flaw if lesson and draw(st.booleans())),
    )
    setting = draw(st.sampled_from(Setting))
    delta = 0.0 if setting is Setting.FIXED else draw(st.floats(0.01, 0.99))
    share = draw(st.floats(0, 1)) + 0.0
    policy = AnnouncedPolicy(draw(COUNT), share, draw(TEXTS), draw(st.booleans()), setting, delta)
    nonce = draw(st.binary(min_size=16, max_size=16))
    sealed = rules.padded and rules.salted and not rules.flaws
    never = {Program.TWO_ROUND_ONCE, *(() if sealed else (Program.THRESHOLD,))}
    programs = [program for program in Program if program not in never]
    careful = sealed and rules.ordered and setting is Setting.FIXED
    if careful and draw(st.booleans()):
        rules, programs = replace(rules, rows=draw(st.integers(2, 1_000))), [Program.TWO_ROUND]
    return Announcement(
        *(draw(TEXTS), nonce, draw(schemas()), policy, rules),
        *(tuple(public[2:]), public[0], public[1], draw(st.sampled_from(programs))),
        draw(st.just(b"") | DIGESTS),
    )


COLUMNS = st.lists(st.integers(0, 254), min_size=1, max_size=6, unique=True).map(
    lambda columns: tuple(sorted(columns))
)
SAID = st.lists(WORDS, min_size=1, max_size=4, unique=True).map(lambda said: tuple(sorted(said)))


@st.composite
def rules(draw: Any, columns: Any) -> tuple[Hiding, ...]:
    ruled = sorted(draw(st.sets(st.sampled_from(sorted(columns))))) if columns else []
    if draw(st.booleans()):
        return tuple(Mask(column, draw(SAID)) for column in ruled)
    return tuple(Redact(column, draw(SAID), draw(U32)) for column in ruled)


@st.composite
def calls(draw: Any) -> Call:
    asks = tuple(draw(st.lists(COLUMNS, min_size=1, max_size=6, unique=True)))
    reader = draw(st.sampled_from([Role.CURATOR, Role.ANALYST]))
    hidden = draw(rules({column for ask in asks for column in ask}))
    return Call(draw(st.integers(1, 255)), reader, asks, hidden)


REFUSED = st.dictionaries(st.sampled_from(list(Reason)), st.integers(1, 2**32 - 1))
CELLS = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
COUNTS = st.dictionaries(CELLS, st.integers(1, 10**6), max_size=5)


@st.composite
def tallies(draw: Any) -> Tally:
    counts = draw(st.none() | st.lists(COUNTS, max_size=4).map(tuple))
    if counts is None:
        return Tally(tuple(draw(st.lists(U32, max_size=4))), draw(REFUSED))
    return Tally(tuple(sum(count.values()) for count in counts), draw(REFUSED), counts)


@st.composite
def decisions(draw: Any) -> Decision:
    n = draw(U32)
    proof = DecisionCertificate(
        draw(TEXTS),
        draw(U32),
        n,
        draw(st.integers(0, n)),
        tuple(draw(st.lists(DOUBLES, max_size=4))),
        draw(st.none() | st.integers(0, 255)),
        draw(st.none() | DOUBLES),
        draw(st.binary(max_size=9)),
    )
    kept = draw(COLUMNS | st.just(()))
    return Decision(kept, proof, draw(rules(kept)))


@st.composite
def committed(draw: Any) -> CommittedDecision:
    kept = draw(COLUMNS | st.just(()))
    delta = draw(st.none() | DOUBLES)
    sealed = draw(st.binary(max_size=60))
    return CommittedDecision(kept, draw(U32), delta, draw(rules(kept)), draw(DIGESTS), sealed)


def certificate_of(decision: Decision) -> DecisionCertificate:
    return decision.certificate


def equal_or_not(draw: Any) -> list[bytes]:
    """Give a list of byte strings: of one length, or of several, or empty."""
    size = draw(st.integers(0, 9))
    even = st.binary(min_size=size, max_size=size)
    either = st.lists(even, max_size=6) | st.lists(st.binary(max_size=9), max_size=6)
    strings: list[bytes] = draw(either)
    return strings


SIGNATURES = st.binary(min_size=64, max_size=64)
WITNESSES = st.binary(min_size=97, max_size=97)
SEALS = st.builds(Seal, st.just(b"") | WITNESSES, SIGNATURES)


@st.composite
def rosters(draw: Any) -> Roster:
    keys = draw(st.lists(DIGESTS, min_size=3, max_size=6, unique=True))
    opening = draw(st.binary(min_size=16, max_size=16))
    if len(keys) > 4 and draw(st.booleans()):
        return Roster(opening, *keys[:3], tuple(keys[3:-1]), keys[-1])
    return Roster(opening, *keys[:3], tuple(keys[3:]))


def grant(elements: tuple[bytes, ...], last: bytes) -> Grant:
    """Give an answer whose commitments are its elements and one more."""
    return Grant(elements, (*elements, last), last)


GRANTS = st.builds(grant, st.lists(DIGESTS, min_size=1, max_size=4).map(tuple), DIGESTS)


# Types that are no rows, by their names.
CODECS: dict[str, Any] = {
    "text": TEXTS,
    "key": st.sampled_from([key.public for pool in POOL.values() for key in pool]),
    "refusals": REFUSED,
}


def values(type_: FieldType) -> Any:
    """Give a strategy for the values of a type (fields.py)."""
    match type_:
        case Number(minimum=minimum, limit=limit):
            return st.integers(minimum, limit)
        case FixedBytes(size=size):
            return st.binary(min_size=size, max_size=size)
        case Blob(sizes=sizes):
            some = [st.binary(min_size=size, max_size=size) for size in sizes]
            return st.one_of(some) if some else st.binary(max_size=60)
        case EqualSize():
            return st.binary(min_size=5, max_size=5)
        case Name(members=members):
            return st.sampled_from(members)
        case Either(unset=unset, chosen=chosen):
            return st.sampled_from([unset, chosen])
        case Maybe(entry=entry, absent=absent):
            return st.just(absent) | values(entry)
        case Nested(record=record):
            return records(record)
        case Items(entry=Blob(), order="", minimum=0):
            return st.composite(equal_or_not)().map(tuple)
        case Items(entry=entry) | Array(entry=entry):
            return lists(type_, values(entry))
        case Codec(name=name):
            return CODECS[name]
    raise TypeError(type_)


def lists(type_: Items | Array, entries: Any) -> Any:
    """Give a strategy for short lists in the order of a type."""
    first = order_key(type_.entry)
    unique = first if type_.order else None
    some = st.lists(entries, min_size=type_.minimum, max_size=4, unique_by=unique)
    ascends = type_.order == "ascending"
    return some.map(lambda many: tuple(sorted(many, key=first) if ascends else many))


def records(record: type) -> Any:
    """Give a strategy for a record: by its row, or one whose fields agree."""
    if record in AGREEING:
        return AGREEING[record]
    return st.builds(record, **{name: values(type_) for name, type_ in row_of(record).items()})


# Records whose fields have to do with each other.
AGREEING: dict[type, Any] = {
    Announcement: announcements(),
    Call: calls(),
    Roster: rosters(),
    Tally: tallies(),
    Decision: decisions(),
    CommittedDecision: committed(),
    OpenedCertificate: st.builds(OpenedCertificate, DIGESTS, decisions().map(certificate_of)),
    Grant: GRANTS,
    ShuffledLists: st.lists(
        st.tuples(st.binary(max_size=9), st.binary(max_size=9)), min_size=1, max_size=3
    ).map(lambda some: ShuffledLists(len(some), *map(tuple, zip(*some, strict=True)))),
}
BODIES: dict[type, Any] = {row.body: records(row.body) for row in TABLE.values()}


def messages(*kinds: type) -> Any:
    """Give a strategy for messages of these kinds, or of all."""
    bodies = st.one_of([BODIES[kind] for kind in kinds or BODIES])
    return st.builds(Message, DIGESTS, st.integers(0, 255), bodies, st.none() | SEALS)


def same(left: Body, right: Body) -> bool:
    """Compare bodies; counts may be any mapping."""
    if isinstance(left, Mixed) and isinstance(right, Mixed):
        return replace(left, refused={}) == replace(right, refused={}) and dict(
            left.refused
        ) == dict(right.refused)
    return left == right


def called(*posts: tuple[str, Body], held: Session, registry: Registry | None = None) -> Board:
    """A board on which the first round has been called, with what is posted after."""
    board, told = Board(), held.announcement

    def say(author: str, number: int, body: Body) -> None:
        board.post(author, Message(board.session or bytes(32), number, body).encode())

    keyholders = [name for name in held.keys if name != parties.CURATOR]
    for party in keyholders:
        say(party, 0, Key(held.keys[party].public))
    if registry is not None:
        say(parties.CURATOR, 0, registry)
    say(parties.CURATOR, 0, told)
    for party in keyholders:
        say(party, 0, Consent(told.digest()))
    say(parties.CURATOR, 1, SINGLES)
    for author, body in posts:
        say(author, 1, body)
    return board


def refuses(board: Callable[..., Board], posts: Sequence[tuple[str, Body]]) -> bool:
    """Whether a board refuses the last of these posts and is then as if it had never come.

    board: gives one with the posts of its arguments.
    """
    *before, (author, body) = posts
    bulletin = board(*before)
    try:
        bulletin.post(author, Message(bulletin.session, 1, body).encode())
    except Refused:
        return bulletin == board(*before)
    return False
