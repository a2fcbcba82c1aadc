"""Parsing and counting of received reports, which are lines of text.

The randomizer defines the format of a report (`encode`, `decode`), of equal width for all:

    grr             the value itself
    rappor, oue, blh, subset, memoized
                    a bit for each of the a values, packed eight to a byte, in hex:
                    2 ceil(a / 8) digits. Position 0 is the most significant bit of the first
                    byte; bits after the last position are 0. At most 4,096 values
    local-hash      the words of the key, then the hash value, each in hex with as many digits as
                    the largest such word has
    hadamard        a column of the Hadamard matrix
    hadamard-blocks a column of the Hadamard matrix of one block of values
    projective      a point of a projective space
    duchi, piecewise, hybrid, laplace, square-wave
                    a level
    ranges          the level of a tree, then the bits of its nodes
    pckv-grr, privkv
                    a key and a sign, as one number
    pckv-ue         two bits for each key, for 1 and for -1
    bloom           the cohort, then the bits of a Bloom filter
    prefix-hash, prefix-bit
                    the level, a key of four digits for each byte of the longest text, the hash
                    value
    split-mix       several messages, each a share of the number
    bit-flip        one digit for each feature, the first feature first; 1 is the second value
    of a drawn feature
                    the number of the feature, the report (of grr the number of the value), zeros
                    up to the width of the widest report

Bits and numbers are in hex, except for grr and bit-flip. Memoized reports have noise that a person
keeps from run to run. Only texts of exactly this form are read; other texts are counted as
`outside`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ....analysis.randomizers import Randomizer

BLOCK = 1 << 24  # bits of reports that are parsed at a time, to limit memory

Reports = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolTally:
    """The counts of the symbols in the reports to a question.

    A symbol is a value, or a position of bit-flip.

    Attributes:
        supporting: for each symbol, the number of reports that support it; of bit-flip, for each
            position the number of reports with a 1 there.
        people: the number of people with a readable report.
        outside: the number of texts that do not have the format of a report.
    """

    supporting: npt.NDArray[np.int64]
    people: int
    outside: int


def tally(randomizer: Randomizer, domain: Sequence[str], counts: Reports) -> SymbolTally:
    """Analyst: count, for each symbol (value or bit), the reports to a question that support it.

    domain: the values of the feature. counts: how often each text was received.
    """
    if randomizer.text_width is None:
        return _values(domain, counts)
    supporting = np.zeros(randomizer.positions, np.int64)
    people = 0
    for reports in read(randomizer, counts):
        supporting += randomizer.support_counts(reports)
        people += len(reports)
    return SymbolTally(
        supporting, people // randomizer.messages_per_person, sum(counts.values()) - people
    )


def _values(domain: Sequence[str], counts: Reports) -> SymbolTally:
    """Return the counts of reports that are values themselves. domain: the values."""
    value_counts = [counts.get((value,), 0) for value in domain]
    people = sum(value_counts)
    return SymbolTally(np.array(value_counts, np.int64), people, sum(counts.values()) - people)


def read(randomizer: Randomizer, counts: Reports) -> Iterator[Any]:
    """Analyst: parse received texts, and yield the reports in arrays, a block at a time.

    A text that does not have the format of a report is omitted. counts: how often each text was
    received.
    """
    block = max(1, BLOCK // randomizer.positions)
    texts = _written(re.compile(randomizer.text_pattern), counts)
    while piece := list(islice(texts, block)):
        reports = randomizer.decode(piece)
        if len(reports):
            yield reports


def _written(pattern: re.Pattern[str], counts: Reports) -> Iterator[str]:
    """Yield every received text that matches the pattern of a report, as often as received."""
    for (text,), people in counts.items():
        if pattern.fullmatch(text):
            yield from repeat(text, people)
