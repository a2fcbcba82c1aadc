"""Search for frequent texts: prefixes with enough supporting reports are extended, byte by byte.

A whole text is tested on all its levels of whole length, because their reports did not influence
the choice of the text; `prefix_errors.py` derives false finds and misses from this. Values near to
the threshold are found by luck, and then overestimated: intervals are those of a value that was not
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

# The degree of the field: a key has this number of bits for every byte of a text.
DEGREE = 16
ALPHA = 0.05  # probability with which limits miss the share of a value that was not chosen
MOST_KEPT = 1024  # limits the prefixes extended at a level
BYTE = 256
BLOCK = 255  # reports looked at together: their supports are counted in bytes

Words = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.uint8]
Support = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PrefixReports:
    """Everybody's level, key and randomized hash value.

    Attributes:
        levels: bytes of the prefix, 1 .. width, shape (people,).
        keys: shape (people, width), elements of GF(2^16).
        values: randomized hash values in 0 .. g - 1, shape (people,).
    """

    levels: npt.NDArray[np.int64]
    keys: Words
    values: Symbols

    def __len__(self) -> int:
        return len(self.levels)

    @classmethod
    def joined(cls, parts: Sequence[PrefixReports]) -> PrefixReports:
        """The reports of at least one part after another."""
        columns = zip(*((part.levels, part.keys, part.values) for part in parts), strict=True)
        levels, keys, values = (np.concatenate(column) for column in columns)
        return cls(levels, keys, values)


class Hashing(Protocol):
    """The interface of the randomizer of the reports for a search (`PrefixTree`)."""

    @property
    def levels(self) -> int:
        """Bytes of the longest text."""
        raise NotImplementedError

    @property
    def values(self) -> int:
        """Hash values."""
        raise NotImplementedError

    @property
    def truth(self) -> float:
        """The probability that a report supports the own prefix."""
        raise NotImplementedError

    @property
    def lie(self) -> float:
        """The probability that it supports another."""
        raise NotImplementedError

    def whole_from(self, text: Rows) -> int:
        """Return the first level with this text as the whole prefix."""
        raise NotImplementedError

    def agreeing(self, reports: PrefixReports, text: Rows) -> tuple[int, int]:
        """(reports that support a text, reports at the levels at which it is whole)."""
        raise NotImplementedError

    def share_of(self, reports: PrefixReports, text: Rows) -> tuple[float, float]:
        """(unbiased share, its variance at that share)."""
        raise NotImplementedError

    def limits_of(self, reports: PrefixReports, text: Rows, alpha: float) -> ConfidenceLimits:
        """Limits of the share, shape (1,)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A text that many people have.

    Attributes:
        text: the value.
        share: unbiased share of people, were it not chosen by its estimate.
        error: its standard error.
        low: of the 95 % interval, by the law of its reports.
        high: of the same.
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
        values: the largest estimate first.
        tested: number of texts tested.
        false_finds: upper bound on the expected number of found values without holders.
        least_share: a value of at least this share of people is missed with probability 5 % at
            most; infinite if there is no guarantee.
        cut: whether more prefixes were kept than are extended; then there is no guarantee.
    """

    values: tuple[FoundValue, ...]
    tested: int
    false_finds: float
    least_share: float
    cut: bool


def search(tree: Hashing, reports: PrefixReports) -> FoundValues:
    """Extend prefixes byte by byte, and test the texts that are whole."""
    if not isinstance(reports, PrefixReports):
        raise ParameterError(f"reports: found a {type(reports).__name__}; needs PrefixReports")
    if not len(reports):
        raise ParameterError("reports: none; needs at least one")
    groups = np.bincount(reports.levels - 1, minlength=tree.levels)
    pooled = np.cumsum(groups[::-1])[::-1].tolist()  # people from each level on
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
    """The number of reports of a level that support each parent plus byte, (parents, 256)."""
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
    """Hashes of all bytes under a word of each key, shape (people, 256): they are linear."""
    table = np.zeros((len(key), 1), word)
    power = key.astype(np.uint64)
    for _ in range(8):
        low = (power & np.uint64(values - 1)).astype(word)[:, None]
        table = np.concatenate([table, table ^ low], axis=1)
        power = shift(power, DEGREE)
    return table


def _value(tree: Hashing, reports: PrefixReports, text: Rows) -> FoundValue | None:
    """Return a text with its estimate; None for bytes that are no text, which has no holders."""
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
    """The power of two g of least variance for rare prefixes."""
    gain = exp(min(epsilon, 700.0)) - 1
    powers = [1 << j for j in range(1, DEGREE + 1)]
    return min(powers, key=lambda g: (g + gain) ** 2 / (g - 1))
