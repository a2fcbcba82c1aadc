"""Local hashing: hash the value with the person's own random key, then randomize the hash value.

The key chooses a hash function h of |H|; there are g hash values y. A report (h, y) of a person
with symbol x has the probability

    Q[(h, y), x] = (1/|H|) e^eps / (g + e^eps - 1) if y = h(x), else (1/|H|) / (g + e^eps - 1)

This is paper 003, (3), which omits 1/|H|. A report supports (is consistent with) the symbols x with
h(x) = y. It supports the true symbol with probability e^eps / (g + e^eps - 1). It supports any
other symbol with probability exactly 1/g, because two symbols have equal hash values under exactly
1/g of the keys (`hash_families.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, tanh
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .galois import Elements
from .grr import GRR
from .hash_families import Family, family
from .neighbour_laws import Neighbours, hash_neighbours
from .pure import Pure
from .randomizer import (
    MOST_NATS,
    Seed,
    Symbols,
    as_epsilon,
    as_generator,
    as_symbols,
)
from .row_numbers import check_rows
from .symmetric_capacity import spread, symmetric, symmetric_error

# Largest number of symbols, and of hash values; more are refused.
LARGEST = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class HashReports:
    """Reports of local hashing: the key and the randomized hash value of each person.

    Attributes:
        keys: the key of each person's hash function, a row of whole numbers; shape (people, words).
            `hash_families.py` defines their use.
        values: randomized hash values in 0 .. g - 1, for g hash values; shape (people,).
    """

    keys: Elements
    values: Symbols

    def __len__(self) -> int:
        """Return the number of reports, one for each person."""
        return len(self.values)


@keeps_old(said_values="reported_values")
@dataclass(frozen=True, slots=True)
class LocalHash(Pure):
    """Local hashing of a symbols into g values: a report is a random key and a noisy hash value.

    If g is a power of two, keys are short and the supporting reports of all symbols are counted
    fast. For any other g the count takes people times a steps. So paper 003's g = 10^8 is replaced
    here by 2^27 = 1.34 * 10^8. The two are compared at an equal `loss_parameter`, the probability
    of the true reported symbol minus that of another. Then 2^27 costs 0.3 nats more, and the
    squared error is smaller for every share (by 25 % for a symbol that no person has).

    Attributes:
        a: number of symbols, 2 .. 2^31.
        g: number of hash values, 2 .. 2^31.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    g: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "g", whole(self.g, "g", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        if self.a > LARGEST or self.g > LARGEST:
            raise ParameterError(
                f"a, g: found {self.a} symbols, {self.g} hash values; needs at most 2^31 of each"
            )

    @classmethod
    def olh(cls, a: int, epsilon: float) -> LocalHash:
        """Return local hashing with the number g of hash values of least variance for rare symbols.

        g is a power of two. Over all g the minimum is at e^eps + 1; the best power of two has at
        most 7 % more variance. a: number of symbols. epsilon: local epsilon in nats.
        """
        gain = exp(min(as_epsilon(epsilon), MOST_NATS)) - 1
        powers = [1 << j for j in range(1, 31)]
        return cls(a, min(powers, key=lambda g: (g + gain) ** 2 / (g - 1)), epsilon)

    def __str__(self) -> str:
        return f"LocalHash(a={self.a}, g={self.g}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports: the number of keys times the number of hash values."""
        return self.family.size * self.g

    @property
    def family(self) -> Family:
        """The family of keyed hash functions from a symbols to g values."""
        return family(self.a, self.g)

    @property
    def truth(self) -> float:
        """The probability e^eps / (g + e^eps - 1) that a report supports the true symbol.

        That is: the true hash value, of g values, is reported.
        """
        return self._inner.truth

    @property
    def lie(self) -> float:
        """The probability 1/g that a report supports a given symbol that its person does not have.

        A report supports the symbols that its key hashes to the reported value, one of g values.
        """
        return 1 / self.g

    @property
    def _inner(self) -> GRR:
        """The randomized response that is applied to the hash value."""
        return GRR(self.g, self.epsilon)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        keys = self.family.keys()
        hashed = self.family.hash(keys[:, None], np.arange(self.a)[None, :])
        is_own_value = np.arange(self.g)[None, :, None] == hashed[:, None, :].astype(np.int64)
        Q = np.where(is_own_value, self.truth, self._inner.lie) / len(keys)
        return Q.reshape(-1, self.a)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> HashReports:
        """Return a random key and a randomized hash value for each person.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        keys = self.family.draw(len(values), rng)
        hashed = self.family.hash(keys, values).astype(np.int64)
        return HashReports(keys, self._inner.sample(hashed, rng))

    def symbols(self, reports: Any) -> Symbols:
        """Return each report's row number in the matrix: number of the key times g, plus value."""
        check_rows(self)
        hashed_reports = self._checked(reports)
        return self.family.number(hashed_reports.keys) * self.g + hashed_reports.values

    def tally(self, reports: HashReports) -> tuple[Counts, int]:
        """Return (the number of reports that support each symbol, the number of all reports).

        A report supports the symbols that its key hashes to its value. The first result has shape
        (inputs,).
        """
        hashed_reports = self._checked(reports)
        return self.family.tally(hashed_reports.keys, hashed_reports.values.astype(np.uint64)), len(
            hashed_reports
        )

    def supports(self, reports: HashReports) -> npt.NDArray[np.bool_]:
        """Return a mask of the symbols that each report supports, shape (people, inputs).

        A report supports the symbols that its key hashes to its value.
        """
        hashed_reports = self._checked(reports)
        self._check_supports(len(hashed_reports))
        hashed = self.family.hash(hashed_reports.keys[:, None], np.arange(self.a)[None, :])
        return np.asarray(hashed == hashed_reports.values[:, None].astype(np.uint64))

    def _checked(self, reports: HashReports) -> HashReports:
        """Return `reports` after a check of type, shapes, and ranges of keys and hash values."""
        if not isinstance(reports, HashReports):
            raise ParameterError(f"reports: found a {type(reports).__name__}; needs HashReports")
        as_symbols(reports.values, self.g, "reports.values")
        limits = self.family.limits
        if reports.keys.shape != (len(reports), len(limits)):
            raise ParameterError(
                f"reports.keys: shape {reports.keys.shape}; needs ({len(reports)}, {len(limits)})"
            )
        if (reports.keys >= np.array(limits, np.uint64)).any():
            raise ParameterError(
                f"reports.keys: found a number not below its limit in {limits}; needs keys of this "
                "hash family"
            )
        return reports

    def sparse_supports(self, reports: Any, symbols: npt.NDArray[np.int64]) -> Any:
        """Return which listed symbols each report supports, as a sparse 0/1 matrix in CSR format.

        A report supports the symbols that its key hashes to its value. Rows are reports, columns
        the listed symbols.
        """
        from scipy.sparse import csr_array, vstack

        blocks, step = [], max(1, (1 << 22) // len(symbols))
        for first in range(0, len(reports), step):
            keys = reports.keys[first : first + step, None]
            values = reports.values[first : first + step, None].astype(np.uint64)
            hashed = self.family.hash(keys, symbols[None, :])
            blocks.append(csr_array((hashed == values).astype(np.float64)))
        return vstack(blocks).tocsr()

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats. A key is constant if it gives all symbols the same hash value; its reports
        do not depend on the symbol. The bound is the capacity of GRR on g values times the
        probability of a key that is not constant. attained: whether the bound is reached, because
        every such key spreads the symbols evenly over the hash values. Small cases with at least as
        many people as symbols are computed from the matrix.
        """
        if self._is_computed(people):
            return super(LocalHash, self).capacity(people)
        used_symbols = min(people, self.a)
        reach = symmetric(self.g, self.epsilon, min(used_symbols, self.g))
        return (1 - self.family.constant) * reach, self.family.keeps_apart(used_symbols)

    def contraction(self) -> float:
        """Return the contraction coefficient (1 - 1/g) theta tanh(eps / 2), in [0, 1].

        It is the largest share of any information about the value that the report retains. theta is
        `loss_parameter`, g the number of hash values.
        """
        return (1 - 1 / self.g) * self.loss_parameter * tanh(self.epsilon / 2)

    def smallest_error(self, people: int) -> tuple[float, bool]:
        """Return (error, attained): the least error of naming a report's sender among n people.

        A key is constant if it gives all symbols the same hash value: then the sender is guessed,
        with the error 1 - 1/n. For other keys the error is that of GRR on g values. The result is
        the mean over the keys. attained: whether an attacker reaches the error, because every other
        key spreads the symbols evenly over the hash values.
        """
        used_symbols = min(people, self.a)
        apart_chance = 1 - self.family.constant
        distinct = symmetric_error(self.g, self.epsilon, min(used_symbols, self.g), people)
        return apart_chance * distinct + (1 - apart_chance) * (
            1 - 1 / people
        ), self.family.keeps_apart(used_symbols)

    @property
    def loss_parameter(self) -> float:
        """The parameter theta = (e^eps - 1) / (g + e^eps - 1) of paper 003, for g hash values.

        It is the probability of the true hash value minus that of a given other value; the squared
        error of estimated shares depends on it.
        """
        return spread(self.g, self.epsilon)

    @property
    def reported_values(self) -> int:
        """The number g of hash values, which a report distinguishes beside its key."""
        return self.g

    @property
    def hash_family(self) -> Family:
        """The family of keyed hash functions, under the name of the randomizer interface."""
        return self.family

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols, for bounds after shuffling.

        A single pair of symbols is enough, because all pairs have equal distributions.
        """
        return [hash_neighbours(self.g, self.truth, self.epsilon, self.family.meetings)]

    @property
    def _digits(self) -> list[int]:
        """The numbers of hexadecimal digits: of each number in the key, then of the hash value."""
        return [len(f"{limit - 1:x}") for limit in (*self.family.limits, self.g)]

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: for the key, then for the hash value."""
        return sum(self._digits)

    def encode(self, reports: HashReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - unused here
        """Return reports as hexadecimal text: the numbers of the key, then the hash value.

        Each number has as many digits as the largest number at its position.
        """
        words = [*reports.keys.T.tolist(), reports.values.tolist()]
        columns = zip(words, self._digits, strict=True)
        texts = [[f"{word:0{wide}x}" for word in column] for column, wide in columns]
        return list(map("".join, zip(*texts, strict=True)))

    def decode(self, texts: Sequence[str]) -> HashReports:
        """Return keys and hash values from texts; a text with a number out of range is left out."""
        ends = np.cumsum([0, *self._digits]).tolist()
        places = list(pairwise(ends))
        words = np.array([[int(text[i:j], 16) for i, j in places] for text in texts], np.uint64)
        limits = np.array((*self.family.limits, self.g), np.uint64)
        words = words[(words < limits).all(axis=1)]
        return HashReports(words[:, :-1], words[:, -1].astype(np.int64))
