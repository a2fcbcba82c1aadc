"""A report as one line of text, of one width for everybody, and back.

    GRR             the value itself
    unary encoding  bits, packed eight to a byte, in hex: 2 ceil(a / 8) digits. Position 0 is the
                    most significant bit of the first byte; bits after the last position are 0
    local hashing   the words of the key, then the hash value, each in hex with as many digits as
                    the largest such word has
    bit-flip        one digit 0 or 1 for each feature, the first feature first

Only what is written exactly so is read: everything else is counted as no report.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ....analysis.randomizers import GRR, BitFlip, HashReports, LocalHash, UnaryEncoding
from ....analysis.randomizers.bit_vectors import unpack

BLOCK = 1 << 24  # bits that are looked at together

Reports = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What reports hold, counted.

    supporting: for each symbol the reports that support it; of bit-flip, for each position the
    reports with a 1 there. people: reports that were read. outside: texts that are no report.
    """

    supporting: npt.NDArray[np.int64]
    people: int
    outside: int


def unary_width(symbols: int) -> int:
    """Bytes of a report of a unary encoding."""
    return 2 * -(-symbols // 8)


def width(randomizer: Any) -> int | None:
    """Bytes of every report of a randomizer; None for values of a public domain."""
    match randomizer:
        case GRR():
            return None
        case UnaryEncoding(a=a):
            return unary_width(a)
        case LocalHash():
            return sum(_digits(randomizer))
        case _:
            return int(randomizer.bits)


def _digits(randomizer: LocalHash) -> list[int]:
    """Digits of each word of the key, and of the hash value."""
    limits = (*randomizer.family.limits, randomizer.g)
    return [len(f"{limit - 1:x}") for limit in limits]


def positions(randomizer: Any) -> int:
    """How many symbols a report may support, or how many bits it has."""
    return int(randomizer.bits if isinstance(randomizer, BitFlip) else randomizer.a)


def write(randomizer: Any, domain: Sequence[str], reports: Any) -> list[str]:
    """User: reports as text. domain: the values of the symbols."""
    match randomizer:
        case GRR():
            return [str(domain[symbol]) for symbol in reports.tolist()]
        case UnaryEncoding():
            return _cut(np.packbits(reports, axis=1).tobytes().hex(), unary_width(randomizer.a))
        case LocalHash():
            words = [*reports.keys.T.tolist(), reports.values.tolist()]
            columns = zip(words, _digits(randomizer), strict=True)
            texts = [[f"{word:0{wide}x}" for word in column] for column, wide in columns]
            return list(map("".join, zip(*texts, strict=True)))
        case _:
            return _cut((reports + ord("0")).tobytes().decode(), randomizer.bits)


def _cut(text: str, width: int) -> list[str]:
    return [text[first : first + width] for first in range(0, len(text), width)]


def tally(randomizer: Any, domain: Sequence[str], counts: Reports) -> Tally:
    """Analyst: count what the reports hold. counts: how often each text was received."""
    if isinstance(randomizer, GRR):
        return _values(domain, counts)
    supporting = np.zeros(positions(randomizer), np.int64)
    people = 0
    for reports in read(randomizer, counts):
        if isinstance(randomizer, BitFlip):
            supporting += reports.sum(axis=0, dtype=np.int64)
        else:
            supporting += randomizer.tally(reports)[0]
        people += len(reports)
    return Tally(supporting, people, sum(counts.values()) - people)


def _values(domain: Sequence[str], counts: Reports) -> Tally:
    said = [counts.get((value,), 0) for value in domain]
    people = sum(said)
    return Tally(np.array(said, np.int64), people, sum(counts.values()) - people)


def read(randomizer: Any, counts: Reports) -> Iterator[Any]:
    """Analyst: the reports that these texts are, some at a time; others are left out."""
    block = max(1, BLOCK // positions(randomizer))
    texts = _written(_pattern(randomizer), counts)
    while piece := list(islice(texts, block)):
        reports = _parse(randomizer, piece)
        if len(reports):
            yield reports


def _written(pattern: re.Pattern[str], counts: Reports) -> Iterator[str]:
    """Every text of the right form, as often as it was received."""
    for (text,), people in counts.items():
        if pattern.fullmatch(text):
            yield from repeat(text, people)


def _pattern(randomizer: Any) -> re.Pattern[str]:
    digits = "[01]" if isinstance(randomizer, BitFlip) else "[0-9a-f]"
    return re.compile(f"{digits}{{{width(randomizer)}}}")


def _parse(randomizer: Any, texts: Sequence[str]) -> Any:
    """Texts of the right form as reports; those with impossible numbers are left out."""
    match randomizer:
        case UnaryEncoding(a=a):
            packed = np.frombuffer(bytes.fromhex("".join(texts)), np.uint8)
            rows = packed.reshape(len(texts), -1)
            spare = 8 * rows.shape[1] - a
            return unpack(rows[(rows[:, -1] & ((1 << spare) - 1)) == 0], a)
        case LocalHash():
            return _hashes(randomizer, texts)
        case _:
            digits = np.frombuffer("".join(texts).encode(), np.uint8) - ord("0")
            return digits.reshape(len(texts), -1)


def _hashes(randomizer: LocalHash, texts: Sequence[str]) -> HashReports:
    ends = np.cumsum([0, *_digits(randomizer)]).tolist()
    places = list(pairwise(ends))
    words = np.array([[int(text[i:j], 16) for i, j in places] for text in texts], np.uint64)
    limits = np.array((*randomizer.family.limits, randomizer.g), np.uint64)
    words = words[(words < limits).all(axis=1)]
    return HashReports(words[:, :-1], words[:, -1].astype(np.int64))
