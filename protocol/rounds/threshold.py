"""The program `threshold`: values that fewer than k people share never open (STAR, CCS 2022).

    input of a level  label || session || round || level || texts of the prefix, as below
    a ballot          00 || salt || message || padding        (crypto/threshold.py)
    a level's text    per column of it u16 length, UTF-8 value; padding to the level's width

A level is a separately sealed prefix (the first values) of the row. The announced rule gives a
level to each column, or one level to the whole row. The party `randomness` evaluates an oblivious
pseudorandom function (OPRF): it computes outputs without seeing the inputs, and proves that all are
of the key on the board.

The analyst opens groups of k or more people with equal prefixes, level by level, and counts rows.
The closed rest of a row is BLANK. If the announced rule samples people at random, a person that is
not sampled requests outputs of random bytes. So its message looks like any other and never opens.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...crypto import voprf
from ...crypto.entropy import Entropy
from ...crypto.padding import pad, unpad
from ...crypto.threshold import SEED, OpenedMessages, Sealer, TextLevel, open_groups
from ...crypto.voprf import OprfKey
from ...errors import Reason, Refused
from ..wire.hiding_rules import BLANK
from ..wire.token_messages import Evaluated, Query
from ..wire.wire import Writer, decode
from .ballots import VALUES
from .exclusion import close_further, domains_of
from .opened_prefixes import by_prefixes, cell, closes_further, is_cover
from .round_context import Round, level_ends
from .tallying import BallotReading

LABEL = b"veilmix threshold input 1\0"
# Bytes of the random input that a person who was not sampled sends to the oblivious function. Its
# message then looks like all others, but shares no value with them.
NOBODYS = 32

Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PendingOutputs:
    """The state of a person that waits for outputs of the oblivious pseudorandom function (OPRF).

    The party `randomness` computes these outputs from blinded inputs.

    Attributes:
        row: the person's generalized values.
        blinded_inputs: the inputs with their blinding factors, one for each separately sealed
            prefix of the row.
        body: the request that was sent.
    """

    row: Cell = field(repr=False)
    blinded_inputs: voprf.Blinded
    body: Query


def ask(plan: Round, row: Sequence[str], entropy: Entropy) -> PendingOutputs:
    """Person: request outputs of the oblivious function, one for each level (prefix of the row).

    An all-blank row, of a person that was not sampled, requests outputs of random inputs.
    """
    coarse_row = plan.announcement.schema.coarsen(row)
    ends = level_ends(plan)
    if is_cover(coarse_row):
        inputs = [entropy.fork(f"cover {level}").random(NOBODYS) for level in range(len(ends))]
    else:
        inputs = [level_input(plan, level, coarse_row[:end]) for level, end in enumerate(ends)]
    blinded_inputs = voprf.blind(inputs, entropy)
    return PendingOutputs(coarse_row, blinded_inputs, Query(blinded_inputs.elements))


def evaluate(plan: Round, key: OprfKey, query: Query, entropy: Entropy) -> Evaluated:
    """Party `randomness`: answer a request for outputs of its oblivious pseudorandom function.

    The answer has a proof that all outputs are made with one key. Refused (MALFORMED) unless the
    request has an element for each sealed prefix of a row. key: the secret key of the function.
    """
    if plan.shape is None or len(query.elements) != len(plan.shape.widths):
        raise Refused(Reason.MALFORMED)
    elements, proof = key.evaluate(query.elements, entropy)
    return Evaluated(tuple(elements), proof)


def make_levels(
    plan: Round, asking: PendingOutputs, answer: Evaluated, public: bytes
) -> list[TextLevel]:
    """Person: check the answer of `randomness`, and return the levels to seal.

    A level belongs to a prefix (the first values) of the row. It has the secret of the prefix,
    and the text of the values that the prefix adds to the level before. Refused (MALFORMED,
    DOES_NOT_OPEN) if the answer was not made with the key on the board: another key could mark
    this person.

    asking: the person's state since its request.
    public: the public key of `randomness` on the board.
    """
    assert plan.shape is not None  # noqa: S101 - asked in a round of this program
    outputs = voprf.finalize(asking.blinded_inputs, answer.elements, answer.proof, public)
    levels, start = [], 0
    for output, width, end in zip(outputs, plan.shape.widths, level_ends(plan), strict=True):
        text = b"" if is_cover(asking.row) else text_of(asking.row[start:end])
        levels.append(TextLevel(output[:SEED], pad(text, width)))
        start = end
    return levels


def write(
    plan: Round, sealer: Sealer, levels: Sequence[TextLevel], salt: bytes, entropy: Entropy
) -> bytes:
    """Person: return the padded ballot with these levels of its row.

    sealer: seals levels so that k equal levels open.
    levels: for each prefix of the row, its secret and the text of the values that it adds.
    entropy: the person's randomness in this session.
    """
    message = sealer.seal(levels, entropy.fork("shares"))
    return pad(b"\0" + salt + message, plan.ballot)


def read_sealed(plan: Round, plaintexts: Iterable[bytes]) -> BallotReading:
    """Analyst: return the sealed messages in decrypted ballots; refuse malformed ballots.

    The messages open later, in groups of k people (`open_rows`).
    """
    assert plan.shape is not None  # noqa: S101 - called in a round of this program
    reading, size = BallotReading([Counter()]), VALUES + plan.shape.size()
    for plaintext in plaintexts:
        try:
            data = unpad(plaintext)
            if len(data) != size or data[0]:
                raise Refused(Reason.MALFORMED)  # noqa: TRY301 - one way out
        except Refused as refusal:
            reading.refused[refusal.reason] += 1
            continue
        reading.sealed.append(data[VALUES:])
    return reading


def open_rows(plan: Round, reading: BallotReading) -> BallotReading:
    """Analyst: open the values that at least k people share, and count rows.

    A message that is invalid from the start is refused. A message with an invalid later part counts
    with the values that opened, as astray. reading: the messages, not yet opened; it is changed and
    returned.
    """
    assert plan.shape is not None  # noqa: S101 - called in a round of this program
    opened, column_count = open_groups(plan.shape, reading.sealed), len(plan.domains)
    reading.refused.update(why for level, why in opened.refused.values() if not level)
    counts = Counter(cell(row, column_count) for row in rows_open(plan, opened).values())
    reading.counts, reading.sealed = [counts], []
    reading.closed = Counter(people for _, people in opened.closed)
    stopped = sum(people for row, people in counts.items() if BLANK in row)
    reading.astray = stopped - sum(people for _, people in opened.closed)
    if closes_further(plan.announcement.policy.rule):
        reading.counts = [_published(plan, opened, counts)]
    return reading


def _published(plan: Round, opened: OpenedMessages, counts: Counter[Cell]) -> Counter[Cell]:
    """Analyst: return the number of people by row to publish.

    A closed group is people with equal values that stay encrypted, because fewer than k people
    share them. Fewer values are published than opened if the size of a closed group of fewer than k
    people would follow from them. counts: the number of people by opened row.
    """
    policy, sizes = plan.announcement.policy, defaultdict[Cell, list[int]](list)
    for around, people in opened.closed:
        sizes[_row(plan, around)].append(people)
    domains, prefixes = domains_of(plan.announcement.schema), by_prefixes(policy.rule)
    return Counter(close_further(counts, sizes, policy.k, domains, prefixes=prefixes))


def rows_open(plan: Round, opened: OpenedMessages) -> dict[int, Cell]:
    """Analyst: return the opened part of each message's row, by the index of the message.

    Messages that are invalid from the start are left out.
    """
    junk = {place for place, (level, _) in opened.refused.items() if not level}
    return {
        place: _row(plan, texts) for place, texts in enumerate(opened.texts) if place not in junk
    }


def _row(plan: Round, texts: Sequence[bytes]) -> Cell:
    """Return the row of a message from its opened texts: the values before the first invalid value.

    texts: the opened text of each level (prefix of the row).
    """
    row: list[str] = []
    ends = level_ends(plan)
    for text, end in zip(texts, ends, strict=False):
        start = len(row)
        try:
            values = decode(unpad(text), lambda data: [data.text() for _ in range(end - start)])  # noqa: B023
        except Refused:
            break
        if not all(
            value != BLANK and admits(value)
            for admits, value in zip(plan.domains[start:end], values, strict=True)
        ):
            break
        row += values
    return tuple(row)


def level_input(plan: Round, level: int, values: Sequence[str]) -> bytes:
    """Any party: return the input of the pseudorandom function for the first values of a row.

    The party `randomness` evaluates the function without seeing the input, which is bound to this
    round. level: the number of this prefix of the row, from 0.
    """
    place = LABEL + plan.session + bytes((plan.call.round, level))
    return place + text_of(values)


def text_of(values: Sequence[str]) -> bytes:
    """Any party: return the encoding of values before they are padded and sealed."""
    out = Writer()
    for value in values:
        out.text(value)
    return out.finish()
