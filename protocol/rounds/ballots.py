"""Ballots (a user's answers), and the envelope that carries them to the first shuffler.

    offset  size  field of a ballot
    0       1     number of the query's set of columns that it answers (from 0)
    1       16    salt, fresh per ballot (zeros if a lesson switches it off)
    17      -     per column: u16 length, UTF-8 value
    -       -     padding to the round's one size (ISO/IEC 7816-4)

Every user sends equally many onions. An envelope has them in the order of their ciphertexts, so
that the place of an onion is independent of its query.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple, Protocol

from ...crypto.entropy import Drawn, Entropy, SeededEntropy
from ...crypto.onion import wrap, wrap_all
from ...crypto.padding import pad, unpad
from ...errors import ParameterError, Reason, Refused
from ..wire.announcement import Flaw, Program
from ..wire.hiding_rules import hide
from ..wire.messages import Call
from ..wire.rows_per_person import DUMMY, different_answers, dummy
from ..wire.wire import Writer, decode
from .locks import Proofs, lock_all
from .round_context import SALT, Round, sealing

NO_SALT = bytes(SALT)
VALUES = 1 + SALT  # offset of the values in a ballot, after query and salt


Token = tuple[bytes, bytes]  # the salt of a ballot, and the token for it


class BallotForm(Protocol):
    """The properties of a round that are needed to decode a ballot: its query and domains."""

    @property
    def call(self) -> Call:
        """The query of the round: its column sets and the party that counts, curator or analyst."""
        ...

    @property
    def domains(self) -> tuple[Callable[[str], bool], ...]:
        """Per column, the test whether a value is in its domain."""
        ...


class Ballot(NamedTuple):
    """An answer: its query, and a value for each column of the query.

    Attributes:
        ask: the number of the query in the call, from 0.
        values: one value for each column of the query, in order.
    """

    ask: int
    values: tuple[str, ...]


class Sealed(NamedTuple):
    """A user's envelope and its contents, which only the user knows.

    Attributes:
        envelope: the bytes that are sent to the first shuffler.
        ballots: the answers, one ballot each.
        onions: the layers of each answer, outermost first; the outermost lies in the envelope.
        proofs: data with which the user can prove that a ballot is missing. None unless ballots are
            locked: sealed to a joint key of all shufflers and the curator or analyst.
    """

    envelope: bytes
    ballots: tuple[Ballot, ...]
    onions: tuple[tuple[bytes, ...], ...]
    proofs: Proofs | None = None


@lru_cache(maxsize=1 << 16)
def _encode_value(value: str) -> bytes:
    """Return the encoding of a value in a ballot; cached, because many people have equal values."""
    return Writer().text(value).finish()


def write_ballot(ballot: Ballot, salt: bytes, size: int) -> bytes:
    """User: return the bytes of a ballot with its salt.

    size: bytes to which the ballot is padded; 0: not padded.
    """
    plain = b"".join((bytes((ballot.ask,)), salt, *map(_encode_value, ballot.values)))
    return pad(plain, size) if size else plain


def read_ballot(plan: Round, plaintext: bytes) -> Ballot:
    """Curator or analyst: return the answer in a decrypted ballot.

    Refused if malformed, or if a value is outside its domain.
    """
    return parse_ballot(plan, unpad(plaintext) if plan.ballot else plaintext)


def parse_ballot(plan: BallotForm, data: bytes) -> Ballot:
    """Curator or analyst: return the answer in a ballot without padding.

    Refused if malformed, or if a value is outside its domain.
    """
    if len(data) < VALUES or data[0] >= len(plan.call.asks):
        raise Refused(Reason.MALFORMED)
    columns = plan.call.asks[data[0]]
    values: list[str] = []
    at = VALUES
    for column in columns:
        start = at + 2
        at = start + int.from_bytes(data[at:start], "big")
        try:
            value = data[start:at].decode()
        except UnicodeDecodeError:
            raise Refused(Reason.MALFORMED) from None
        if not plan.domains[column](value):
            raise Refused(Reason.OUTSIDE_DOMAIN if at <= len(data) else Reason.MALFORMED)
        values.append(value)
    if at != len(data):
        raise Refused(Reason.MALFORMED)
    if DUMMY in values and any(values):  # a ballot is an answer or a dummy, never a mixture
        raise Refused(Reason.MALFORMED)
    return Ballot(data[0], tuple(values))


def coarsened_row(plan: Round, row: Sequence[str]) -> tuple[str, ...]:
    """User: return a row with its values generalized by the public rules of the columns.

    In the program `randomized` the row is returned unchanged, because its values were generalized
    before noise was added.
    """
    if plan.announcement.program is Program.RANDOMIZED:
        return tuple(row)
    return plan.announcement.schema.coarsen(row)


def answers(plan: Round, row: Sequence[str]) -> tuple[Ballot, ...]:
    """User: return one ballot for each column set of the query.

    row: a value for each column. ParameterError if a value is not in its domain.
    """
    if len(row) != len(plan.domains):
        raise ParameterError(f"row: found {len(row)} values; {len(plan.domains)} are accepted")
    ballots = []
    for ask, columns in enumerate(plan.call.asks):
        values = tuple([row[column] for column in columns])
        for column, value in zip(columns, values, strict=True):
            check_domain(plan, column, value)
        ballots.append(Ballot(ask, values))
    return tuple(ballots)


def check_domain(plan: Round, column: int, value: str) -> None:
    """User: ParameterError if a value is not in the domain of its column."""
    if not plan.domains[column](value):
        name = plan.announcement.schema.names[column]
        raise ParameterError(f"feature {name!r}: the value {value!r} is not in its domain")


def seal_ballot(plan: Round, ballot: Ballot, salt: bytes, entropy: Entropy) -> tuple[bytes, ...]:
    """User: encrypt one ballot as an onion, for curator or analyst and all shufflers but the first.

    The first shuffler's layer is the envelope around all onions of the user. salt: random bytes,
    so that equal answers have different ciphertexts.

    Returns:
        The layers, outermost first.
    """
    return wrap(plan.suite, plan.hops[1:], write_ballot(ballot, salt, plan.ballot), entropy)


def seal_envelope(plan: Round, onions: Sequence[bytes], entropy: Entropy) -> bytes:
    """User: return the envelope: its onions, encrypted together for the first shuffler.

    The onions are in the order of their bytes, so that their places reveal no query.
    """
    return wrap(plan.suite, plan.hops[:1], bundle(onions), entropy)[0]


def bundle(onions: Iterable[bytes]) -> bytes:
    """User: return the plaintext of an envelope: its onions in the order of their bytes."""
    return Writer().items(sorted(onions)).finish()


class Phrasebook:
    """A cache of a round's encoded answers without salts, because many users give equal answers."""

    def __init__(self, plan: Round) -> None:
        """Start with an empty cache for a round. plan: the round's query, sizes and rules."""
        self.plan = plan
        self._written: dict[tuple[int, tuple[str, ...]], tuple[Ballot, bytes]] = {}
        announced = plan.announcement
        self._rows = plan.rows
        noisy = announced.program is Program.RANDOMIZED
        self._coarse = not noisy and any(feature.rules for feature in announced.schema.features)

    def coarse(self, row: Sequence[Any]) -> Sequence[Any]:
        """Users: return a row with generalized values; if persons have several rows, all rows."""
        if not self._coarse:
            return row
        if self._rows > 1:
            return tuple(coarsened_row(self.plan, each) for each in row)
        return coarsened_row(self.plan, row)

    def answers(self, row: Sequence[Any]) -> list[tuple[Ballot, bytes]]:
        """Users: return each ballot of a row, and its bytes without a salt.

        row: a value for each column; if persons have several rows, the rows of the person.
        ParameterError if a value is not in its domain.
        """
        if self._rows > 1:
            return self._several(row)
        if len(row) != len(self.plan.domains):
            answers(self.plan, row)  # raises ParameterError for a row that does not fit
        ballots = []
        for ask, columns in enumerate(self.plan.call.asks):
            key = (ask, tuple([row[column] for column in columns]))
            entry = self._written.get(key)
            ballots.append(entry if entry is not None else self._write(key, row))
        return ballots

    def _several(self, rows: Sequence[Sequence[str]]) -> list[tuple[Ballot, bytes]]:
        """Return a person's ballots for each query: the different answers, then dummies.

        Dummies fill up to equally many ballots for every person, so that the number of the person's
        rows stays hidden.
        """
        columns, max_rows, ballots = len(self.plan.domains), self._rows, []
        if not rows or any(len(row) != columns or DUMMY in row for row in rows):
            raise ParameterError(
                f"rows: at least one row is accepted, and only rows of {columns} values, none empty"
            )
        for ask, query in enumerate(self.plan.call.asks):
            distinct_answers = different_answers(rows, query, max_rows)
            for values in (
                *distinct_answers,
                *[dummy(len(query))] * (max_rows - len(distinct_answers)),
            ):
                entry = self._written.get((ask, values))
                ballots.append(entry or self._write_values(Ballot(ask, values)))
        return ballots

    def _write_values(self, ballot: Ballot) -> tuple[Ballot, bytes]:
        """Encode a ballot without a salt, and cache it.

        ParameterError if a value is not in its domain.
        """
        for column, value in zip(self.plan.call.asks[ballot.ask], ballot.values, strict=True):
            check_domain(self.plan, column, value)
        entry = ballot, write_ballot(ballot, NO_SALT, self.plan.ballot)
        self._written[ballot.ask, ballot.values] = entry
        return entry

    def _write(self, key: tuple[int, tuple[str, ...]], row: Sequence[str]) -> tuple[Ballot, bytes]:
        """Encode the ballot for one query of a row without a salt, and cache it.

        key: the number of the query, and the values.
        """
        ballot = answers(self.plan, row)[key[0]]
        entry = ballot, write_ballot(ballot, NO_SALT, self.plan.ballot)
        self._written[key] = entry
        return entry


def salts(plan: Round, entropy: Entropy) -> list[bytes]:
    """User: return a fresh salt for every ballot of a round.

    A scenario may weaken this on purpose, to show an attack: zeros as salt, or one salt for all
    ballots of a user.
    """
    count = plan.ballots
    if not plan.announcement.rules.salted:
        return [NO_SALT] * count
    if Flaw.ONE_SALT in plan.announcement.rules.flaws:
        return fresh_salts(entropy, 1) * count
    return fresh_salts(entropy, count)


def drawn_alone(plan: Round, entropy: Entropy) -> list[Token]:
    """Return salts for a user without tokens (blind credentials), each with placeholder bytes.

    The placeholder has the length of a token and is random; empty in a round without tokens.
    """
    mine = salts(plan, entropy)
    if not plan.token:
        return [(salt, b"") for salt in mine]
    return [(salt, entropy.random(plan.token)) for salt in mine]


def fresh_salts(entropy: Entropy, count: int) -> list[bytes]:
    """User, peer: draw `count` random salts.

    All are drawn in one call, because every call of the random source costs as much as a hash.
    """
    fresh = entropy.random(SALT * count)
    return [fresh[at : at + SALT] for at in range(0, len(fresh), SALT)]


def submit(
    plan: Round, row: Sequence[str], entropy: Entropy, tokens: Sequence[Token] = ()
) -> Sealed:
    """User: return the envelope of this round for a row; values that the query hides are hidden.

    row: a value for each column. tokens: a salt and a token (blind credential) for each ballot, in
    a round with tokens.
    """
    return submit_all(Phrasebook(plan), [row], [entropy], [tokens])[0]


def submit_all(
    book: Phrasebook,
    rows: Sequence[Sequence[str]],
    entropies: Sequence[Entropy],
    tokens: Sequence[Sequence[Token]] = (),
    written: Sequence[bytes] = (),
) -> list[Sealed]:
    """Users: turn each row into an envelope, each with its own source of randomness.

    Each step, such as sealing, is done for all users before the next step begins, because that is
    faster. A user's entropy decides which values are suppressed at random; with the session it
    gives the randomness of sealing. tokens: in a round with tokens, the tokens of each user, one
    for each ballot. written: in the program `threshold`, the message of each user in place of a row
    (threshold.py).
    """
    plan, slots = book.plan, book.plan.slots
    rows = [book.coarse(row) for row in rows]
    rules = plan.announcement.rules
    if rules.flaws or rules.challenge:
        people = zip(rows, entropies, tokens or [()] * len(rows), strict=True)
        return [_one_by_one(book, *person) for person in people]
    answer_lists = [
        book.answers(hide(plan.call.hidden, *pair)) for pair in zip(rows, entropies, strict=True)
    ]
    entropies = [sealing(entropy, plan.session) for entropy in entropies]
    drawn = [
        mine or drawn_alone(plan, entropy)
        for mine, entropy in zip(tokens or [()] * len(rows), entropies, strict=True)
    ]
    if plan.shape is not None:  # in `threshold` rounds, ballots hold sealed messages, not rows
        plaintexts = list(written)
    else:
        plaintexts = [
            text for pair in zip(answer_lists, drawn, strict=True) for text in _salted(*pair)
        ]
    marks = [token for mine in drawn for _, token in mine]
    sealed = list(map(add, plaintexts, marks)) if plan.token else plaintexts
    each = [entropy for entropy in entropies for _ in range(slots)]
    onions = wrap_all(plan.suite, plan.hops[1:], sealed, each)
    inside = [tuple(onions[at : at + slots]) for at in range(0, len(onions), slots)]
    bundles = [bundle([layers[0] for layers in onions]) for onions in inside]
    envelopes = wrap_all(plan.suite, plan.hops[:1], bundles, entropies)
    return [
        Sealed(envelope, tuple([ballot for ballot, _ in answers]), onions)
        for (envelope,), answers, onions in zip(envelopes, answer_lists, inside, strict=True)
    ]


def _salted(answers: Iterable[tuple[Ballot, bytes]], marks: Iterable[Token]) -> Iterator[bytes]:
    """Yield the bytes of each ballot with its salt in place of zeros.

    answers: ballots, with their bytes without a salt. marks: the bytes of salt and token of each
    ballot.
    """
    for (_, blank), (salt, _) in zip(answers, marks, strict=True):
        yield blank[:1] + salt + blank[VALUES:]


def _one_by_one(
    book: Phrasebook, row: Sequence[Any], entropy: Entropy, tokens: Sequence[Token]
) -> Sealed:
    """User: seal the ballots of a single row, in rounds that `submit_all` cannot seal together.

    In these rounds ballots are locked (sealed to a joint key of all shufflers and the curator or
    analyst), or a safeguard is switched off on purpose, to show an attack.
    """
    plan = book.plan
    ballots = [ballot for ballot, _ in book.answers(hide(plan.call.hidden, row, entropy))]
    return enclose(plan, ballots, sealing(entropy, plan.session), tokens)


def enclose(
    plan: Round, ballots: Sequence[Ballot], entropy: Entropy, tokens: Sequence[Token] = ()
) -> Sealed:
    """User: seal one ballot for every query into the envelope of this round.

    tokens: a salt and a token for each ballot. In a round with tokens, a user without tokens uses
    random bytes of equal size.
    """
    marks = list(tokens) or drawn_alone(plan, entropy)
    pairs = [(ballot, salt) for ballot, (salt, _) in zip(ballots, marks, strict=True)]
    if plan.bundled:
        plain = [write_bundle(plan, pairs)]
    else:
        plain = [write_ballot(ballot, salt, plan.ballot) for ballot, salt in pairs]
    if plan.announcement.rules.challenge:
        sealed = [ballot + token for ballot, (_, token) in zip(plain, marks, strict=True)]
        proofs = lock_all(plan, sealed, entropy)
        outer = [layers[0] for layers in proofs.onions]
        envelope = seal_envelope(plan, outer, Drawn(proofs.draw))
        return Sealed(envelope, tuple(ballots), proofs.onions, proofs)
    draw = _same_key(entropy) if Flaw.ONE_KEY in plan.announcement.rules.flaws else None
    onions = tuple(
        wrap(plan.suite, plan.hops[1:], ballot + token, draw() if draw else entropy)
        for ballot, (_, token) in zip(plain, marks, strict=False)
    )
    envelope = seal_envelope(plan, [layers[0] for layers in onions], entropy)
    return Sealed(envelope, tuple(ballots), onions)


def write_bundle(plan: Round, ballots: Sequence[tuple[Ballot, bytes]]) -> bytes:
    """User: return all ballots of a person as one plaintext, to show an attack on purpose.

    It lets the curator or analyst link the answers of the person.
    """
    bundle = Writer()
    for ballot, salt in ballots:
        bundle.blob(write_ballot(ballot, salt, 0))
    return pad(bundle.finish(), plan.ballot) if plan.ballot else bundle.finish()


def read_bundle(plan: Round, plaintext: bytes) -> list[Ballot]:
    """Curator or analyst: return the ballots of a person that came in one plaintext.

    They come so only in a scenario that shows this attack on purpose. Refused if a ballot is
    malformed, or if a value is outside its domain.
    """
    data = unpad(plaintext) if plan.ballot else plaintext
    parts = decode(data, lambda reader: [reader.blob() for _ in plan.call.asks])
    return [parse_ballot(plan, part) for part in parts]


def _same_key(entropy: Entropy) -> Callable[[], Entropy]:
    """Return a function that gives the same randomness for every onion of a person.

    So all onions share one ephemeral key, which links the person's answers: an unsafe choice that a
    scenario makes on purpose, to show an attack.
    """
    seed = int.from_bytes(entropy.random(8), "big")
    return lambda: SeededEntropy(seed)
