"""Reports as they were received, lines of text, read and counted.

How a report is written is its randomizer's (`encode`, `decode`), of one width for everybody:

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
from itertools import islice, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ....analysis.randomizers import Randomizer

BLOCK = 1 << 24  # bits that are looked at together

Reports = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What reports hold, counted.

    Attributes:
        supporting: for each symbol the reports that support it; of bit-flip, for each position the
            reports with a 1 there.
        people: reports that were read.
        outside: texts that are no report.
    """

    supporting: npt.NDArray[np.int64]
    people: int
    outside: int


def tally(randomizer: Randomizer, domain: Sequence[str], counts: Reports) -> Tally:
    """Analyst: count what the reports hold. counts: how often each text was received."""
    if randomizer.text_width is None:
        return _values(domain, counts)
    supporting = np.zeros(randomizer.positions, np.int64)
    people = 0
    for reports in read(randomizer, counts):
        supporting += randomizer.support_counts(reports)
        people += len(reports)
    return Tally(
        supporting, people // randomizer.messages_per_person, sum(counts.values()) - people
    )


def _values(domain: Sequence[str], counts: Reports) -> Tally:
    said = [counts.get((value,), 0) for value in domain]
    people = sum(said)
    return Tally(np.array(said, np.int64), people, sum(counts.values()) - people)


def read(randomizer: Randomizer, counts: Reports) -> Iterator[Any]:
    """Analyst: the reports that these texts are, some at a time; others are left out."""
    block = max(1, BLOCK // randomizer.positions)
    texts = _written(re.compile(randomizer.text_pattern), counts)
    while piece := list(islice(texts, block)):
        reports = randomizer.decode(piece)
        if len(reports):
            yield reports


def _written(pattern: re.Pattern[str], counts: Reports) -> Iterator[str]:
    """Every text of the right form, as often as it was received."""
    for (text,), people in counts.items():
        if pattern.fullmatch(text):
            yield from repeat(text, people)
