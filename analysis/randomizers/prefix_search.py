"""Search for frequent texts: prefixes with enough supporting reports are extended, byte by byte.

Each report is a noisy hash of a prefix of a person's text; the prefix has a random number of bytes,
the level. A text is tested on the reports of all levels at which it is whole (not cut to a prefix),
because these reports did not influence the choice of the text. `prefix_errors.py` derives the
probabilities of false finds and misses. The shares of values that barely pass the test are
overestimated, because luck made them pass. Confidence intervals hold for a value that was not
chosen by its estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from .galois import shift
from .limits import ConfidenceLimits
from .prefix_errors import EXTENDED, FALSE_POSITIVE_RATE, Trials, min_share, tail, threshold
from .randomizer import Symbols

# Degree of the field GF(2^16) in which hashes are computed: a key has 16 bits for every byte of a
# text.
DEGREE = 16
# Probability with which confidence limits miss the share of a given value. It does not hold for a
# value chosen for its large estimate, because such estimates are too large.
ALPHA = 0.05
# Most prefixes that are extended at a level (a number of bytes), to bound time. Beyond it the most
# supported are extended, and there is no guarantee against misses.
MOST_KEPT = 1024
BYTE = 256
BLOCK = 255  # reports handled together: their number of matches fits in one byte

Words = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.uint8]
Support = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PrefixReports:
    """Reports about prefixes: the level, the key and the randomized hash value of each person.

    Attributes:
        levels: number of bytes of the reported prefix, 1 .. width, shape (people,).
        keys: shape (people, width), elements of GF(2^16), an element for each byte of a text.
        values: randomized hash values in 0 .. g - 1, for g hash values; shape (people,).
    """

    levels: npt.NDArray[np.int64]
    keys: Words
    values: Symbols

    def __len__(self) -> int:
        """Return the number of reports, one for each person."""
        return len(self.levels)

    @classmethod
    def joined(cls, parts: Sequence[PrefixReports]) -> PrefixReports:
        """Return the reports of several groups of people, at least one, as the reports of all."""
        columns = zip(*((part.levels, part.keys, part.values) for part in parts), strict=True)
        levels, keys, values = (np.concatenate(column) for column in columns)
        return cls(levels, keys, values)


class Hashing(Protocol):
    """The interface of `PrefixTree` that a search needs; declared here to avoid an import cycle."""

    @property
    def levels(self) -> int:
        """The number of levels, the possible lengths in bytes of a reported prefix."""
        raise NotImplementedError

    @property
    def values(self) -> int:
        """The number of possible hash values."""
        raise NotImplementedError

    @property
    def truth(self) -> float:
        """The probability that a report has the hash value of (supports) its person's prefix."""
        raise NotImplementedError

    @property
    def lie(self) -> float:
        """The probability that a report has the hash value of (supports) a given other prefix."""
        raise NotImplementedError

    def whole_from(self, text: Rows) -> int:
        """Return the least number of bytes of a prefix that shows the whole text and its end.

        text: bytes, padded with zeros.
        """
        raise NotImplementedError

    def agreeing(self, reports: PrefixReports, text: Rows) -> tuple[int, int]:
        """Return (reports that support a text, reports about prefixes that show the whole text).

        A report supports a text if its hash value is that of the text's prefix. text: bytes, padded
        with zeros.
        """
        raise NotImplementedError

    def share_of(self, reports: PrefixReports, text: Rows) -> tuple[float, float]:
        """Return (unbiased share of people with a text, the variance of that estimate).

        text: bytes, padded with zeros.
        """
        raise NotImplementedError

    def limits_of(self, reports: PrefixReports, text: Rows, alpha: float) -> ConfidenceLimits:
        """Return confidence limits of the share of people with a text, shape (1,).

        text: bytes, padded with zeros. alpha: probability that the limits miss the share.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A frequent text found by a search, with its estimated share.

    Attributes:
        text: the value.
        share: share of people with the value; unbiased for a value not chosen by its estimate.
        error: standard error of the share.
        low: lower end of the 95 % confidence interval of the share.
        high: upper end of that interval.
    """

    text: str
    share: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FoundValues:
    """The values found by a search, and bounds on its errors.

    Attributes:
        values: the found values, the largest estimated share first.
        tested: number of texts tested.
        false_finds: upper bound on the expected number of found values that no person has.
        least_share: a value of at least this share of people is missed with probability 5 % at
            most; infinite if there is no guarantee.
        cut: whether a level had more frequent prefixes than the search extends; then there is no
            guarantee.
    """

    values: tuple[FoundValue, ...]
    tested: int
    false_finds: float
    least_share: float
    cut: bool


def search(tree: Hashing, reports: PrefixReports) -> FoundValues:
    """Search for frequent texts: extend prefixes byte by byte, and test whole texts.

    tree: the randomizer of the reports. reports: the noisy hashes of people's prefixes.
    """
    if not isinstance(reports, PrefixReports):
        raise ParameterError(f"reports: found a {type(reports).__name__}; needs PrefixReports")
    if not len(reports):
        raise ParameterError("reports: none; needs at least one report")
    groups = np.bincount(reports.levels - 1, minlength=tree.levels)
    pooled = np.cumsum(groups[::-1])[
        ::-1
    ].tolist()  # number of people with a reported prefix of each length or longer
    parents, cut, false = np.zeros((1, 0), np.uint8), False, 0.0
    tested, frequent = 0, []
    for level in range(1, tree.levels + 1):
        at = reports.levels == level
        last = level == tree.levels
        counts = extended(tree, reports.keys[at], reports.values[at], parents)
        if not last:
            ended = np.pad(parents, ((0, 0), (0, tree.levels - level + 1)))
            supports = [tree.agreeing(reports, text)[0] for text in ended]
            least_support = threshold(pooled[level - 1], tree.lie, FALSE_POSITIVE_RATE)
            frequent += [ended[i] for i, count in enumerate(supports) if count >= least_support]
            tested += len(ended)
            false += len(ended) * tail(pooled[level - 1], tree.lie, least_support)
            counts[:, 0] = -1
        least_support = threshold(
            int(groups[level - 1]), tree.lie, FALSE_POSITIVE_RATE if last else EXTENDED
        )
        frequent_extensions = np.argwhere(counts >= least_support)
        if last:
            tested += counts.size
            false += counts.size * tail(int(groups[-1]), tree.lie, least_support)
        elif len(frequent_extensions) > MOST_KEPT:
            cut = True
            order = np.argsort(
                -counts[frequent_extensions[:, 0], frequent_extensions[:, 1]], kind="stable"
            )
            frequent_extensions = frequent_extensions[np.sort(order[:MOST_KEPT])]
        parents = np.concatenate(
            [parents[frequent_extensions[:, 0]], frequent_extensions[:, 1:].astype(np.uint8)],
            axis=1,
        )
    values = [value for text in (*frequent, *parents) if (value := _value(tree, reports, text))]
    values.sort(key=lambda value: (-value.share, value.text))
    visible_share = inf if cut else min_share(Trials.from_groups(groups, tree.truth, tree.lie))
    return FoundValues(tuple(values), tested, false, visible_share, cut)


def extended(tree: Hashing, keys: npt.NDArray[np.uint16], values: Any, parents: Rows) -> Support:
    """Return the number of reports that support each prefix extended by each byte.

    Shape (parents, 256).

    Args:
        tree: the randomizer of the reports.
        keys: the keys of the reports about prefixes of the new length, shape (people, width).
        values: the hash values of these reports, shape (people,).
        parents: the prefixes to extend, shape (parents, bytes).
    """
    level = parents.shape[1]
    word = np.uint8 if tree.values <= BYTE else np.uint16
    counts = np.zeros((len(parents), BYTE), np.int64)
    for first in range(0, len(keys), BLOCK):
        key, key_values = keys[first : first + BLOCK], values[first : first + BLOCK].astype(word)
        wanted_values = np.broadcast_to(key_values[:, None], (len(key_values), len(parents))).copy()
        for i in range(level):
            wanted_values ^= _products(key[:, i], tree.values, word)[:, parents[:, i]]
        products = _products(key[:, level], tree.values, word)
        for place in range(len(parents)):
            agrees = (products == wanted_values[:, place, None]).view(np.uint8)
            counts[place] += np.add.reduce(agrees, axis=0, dtype=np.uint8)
    return counts


def _products(key: Any, values: int, word: Any) -> Any:
    """Return each key's hash contribution of every byte at one position, shape (people, 256).

    Hashes are linear in the bits of a byte, so the table doubles with each bit.

    Args:
        key: the element of GF(2^16) for this place in each person's key, shape (people,).
        values: the number of hash values, a power of two.
        word: the unsigned integer type of the table.
    """
    table = np.zeros((len(key), 1), word)
    power = key.astype(np.uint64)
    for _ in range(8):
        low = (power & np.uint64(values - 1)).astype(word)[:, None]
        table = np.concatenate([table, table ^ low], axis=1)
        power = shift(power, DEGREE)
    return table


def _value(tree: Hashing, reports: PrefixReports, text: Rows) -> FoundValue | None:
    """Return a text with its estimated share; None if the bytes are not a valid text in UTF-8.

    No person has such bytes, so they were found by chance.
    """
    try:
        word = text.tobytes().rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return None
    if "\0" in word:
        return None
    share, variance = tree.share_of(reports, text)
    limits = tree.limits_of(reports, text, ALPHA)
    return FoundValue(word, share, variance**0.5, float(limits.low[0]), float(limits.high[0]))


def best_values(epsilon: float) -> int:
    """Return the number of hash values, a power of two, of least variance for rare prefixes.

    epsilon: local epsilon of a report, in nats.
    """
    gain = exp(min(epsilon, 700.0)) - 1
    powers = [1 << j for j in range(1, DEGREE + 1)]
    return min(powers, key=lambda g: (g + gain) ** 2 / (g - 1))
