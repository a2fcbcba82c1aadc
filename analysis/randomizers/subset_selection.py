"""Subset selection: report d of a symbols, with the true symbol more likely to be among them.

With the matrix Q, a person with symbol x reports a set Z of d symbols with probability

    Q[Z, x] = e^eps / S if x is in Z, else 1 / S
    S = C(a-1, d-1) e^eps + C(a-1, d)

(M. Ye and A. Barg, Optimal schemes for discrete distribution estimation under locally differential
privacy, IEEE Trans. Inf. Theory 2018, (8) to (15); S. Wang and others, 2016.) d = 1 is GRR. A
report supports the symbols that it holds: the true symbol and a given other symbol with the
probabilities

    truth = d e^eps / (d e^eps + a - d)     lie = (d - 1)/(a - 1) truth + d/(a - 1) (1 - truth)

The best d is near a / (e^eps + 1). Then no randomizer of this epsilon has less variance if there
are many reports and few symbols are common (Ye and Barg, asymptotically).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, exp, log
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .bit_vectors import as_bits, column_sums, from_hex, hex_width, to_hex
from .neighbour_laws import Neighbours, PairLaw
from .numerical_capacity import two_inputs
from .pure import Pure
from .randomizer import MOST_NATS, Bits, Seed, Symbols, as_epsilon, as_generator, as_symbols
from .row_numbers import check_rows

# Most random numbers drawn at a time, which bounds the memory that is needed in addition to the
# reports.
BLOCK = 1 << 21


@keeps_old(said_bits="reported_bits")
@dataclass(frozen=True, slots=True)
class SubsetSelection(Pure):
    """Subset selection: a report is a set of d of the a symbols, as a row of a bits with d ones.

    Attributes:
        a: number of symbols, >= 2.
        d: number of symbols in a report, 1 .. a - 1.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    d: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "d", whole(self.d, "d", 1))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        if self.d >= self.a:
            raise ParameterError(f"d: found {self.d}; needs 1 to a - 1 = {self.a - 1}")

    @classmethod
    def best(cls, a: int, epsilon: float) -> SubsetSelection:
        """Return the randomizer with the number d of reported symbols of least variance.

        The variance is that of the shares of rare symbols. a: number of symbols. epsilon: local
        epsilon in nats.
        """
        best_size = whole(a, "a", 2) / (exp(min(as_epsilon(epsilon), MOST_NATS)) + 1)
        sizes = {min(max(1, int(best_size) + more), a - 1) for more in (0, 1)}
        candidates = (cls(a, d, epsilon) for d in sorted(sizes))
        return max(candidates, key=lambda candidates: candidates.precision)

    def __str__(self) -> str:
        return f"SubsetSelection(a={self.a}, d={self.d}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports: sets of d symbols."""
        return comb(self.a, self.d)

    @property
    def truth(self) -> float:
        """The probability d e^eps / (d e^eps + a - d) that a report holds the true symbol."""
        return 1 / (1 + (self.a - self.d) / self.d * exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """The probability that a report holds a given symbol that its person does not have."""
        a, d, p = self.a, self.d, self.truth
        return ((d - 1) * p + d * (1 - p)) / (a - 1)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        inside = np.zeros((self.outputs, self.a))
        for row, subset in enumerate(combinations(range(self.a), self.d)):
            inside[row, subset] = 1
        subset_chance = self.truth / comb(self.a - 1, self.d - 1)
        return np.where(inside > 0, subset_chance, subset_chance * exp(-self.epsilon))

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """Return one row of bits for each person, uint8 of shape (people, inputs).

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        reports = np.zeros((len(values), self.a), np.uint8)
        block = max(1, BLOCK // self.a)
        for first in range(0, len(values), block):
            own_values = values[first : first + block]
            rows_of_block, inside = (
                np.arange(len(own_values)),
                rng.random(len(own_values)) < self.truth,
            )
            # Each symbol gets a random number; the d symbols with the least numbers are a uniform
            # set. The true symbol gets the least number if it is to be in the report, else the
            # largest.
            order = rng.random((len(own_values), self.a))
            order[rows_of_block, own_values] = np.where(inside, -1.0, 2.0)
            chosen_symbols = np.argpartition(order, self.d - 1, axis=1)[:, : self.d]
            reports[first + rows_of_block[:, None], chosen_symbols] = 1
        return reports

    def _checked(self, reports: npt.ArrayLike) -> Bits:
        """Return `reports` as rows of bits after a check that each holds d ones."""
        rows = as_bits(reports, self.a, "reports")
        if (rows.sum(axis=1, dtype=np.int64) != self.d).any():
            raise ParameterError(f"reports: needs rows of bits with exactly {self.d} ones each")
        return rows

    def symbols(self, reports: Any) -> Symbols:
        """Return the row number of each report in the matrix.

        It is the index of the report's set in the order of `itertools.combinations`.
        """
        check_rows(self)
        symbols_left = np.full(len(rows := self._checked(reports)), self.d)
        number = np.zeros(len(rows), np.int64)
        for place, column in enumerate(rows.T):
            # Sets with this symbol come before sets without. So the number of a report without this
            # symbol grows by the number of sets with this symbol and the same earlier symbols.
            skipped = np.array([comb(self.a - 1 - place, max(j - 1, 0)) for j in range(self.d + 1)])
            number += np.where((column == 0) & (symbols_left > 0), skipped[symbols_left], 0)
            symbols_left -= column
        return number

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return (the number of reports that hold each symbol, the number of all reports).

        The first result has shape (inputs,).
        """
        rows = self._checked(reports)
        return column_sums(rows), len(rows)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask, shape (people, inputs): a report supports the symbols of its set."""
        return self._checked(reports).view(np.bool_)

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (capacity, attained): a report's most information about which of n people sent it.

        In nats. At most m = min(n, a) of the a symbols are in use; the capacity is attained if they
        are equally frequent. All symbols are treated alike, so it is a mean over the number of
        these m symbols that a report holds.
        """
        from scipy.stats import hypergeom

        a, d, m = self.a, self.d, min(people, self.a)
        supported = np.arange(m + 1)
        overlap_law = hypergeom.pmf(supported, a, m, d)
        high = self.truth * a / d
        mean = (supported * high + (m - supported) * high * exp(-self.epsilon)) / m
        total = 0.0
        for ratio, share in ((high, supported / m), (high * exp(-self.epsilon), 1 - supported / m)):
            is_possible = (overlap_law > 0) & (share > 0)
            total += float(
                np.sum((overlap_law * share * ratio * np.log(ratio / mean))[is_possible])
            )
        return max(0.0, total), True

    def contraction(self) -> float:
        """Return the contraction coefficient of two symbols, in [0, 1].

        It is the largest share of any information about the symbol that a report retains. It is
        computed from whether a report holds the first symbol, the second, both or neither.
        """
        own_law, other_law = (self._patterns(2, x) for x in range(2))
        return two_inputs(own_law, other_law)

    def _patterns(self, special: int, special_place: int | None) -> Floats:
        """Return the probability of each subset of some symbols that a report may hold.

        special: the number of these symbols. special_place: the index of the person's symbol among
        them; None for a report that is a uniform set of d symbols. Shape (2^special,).
        """
        a, d, p = self.a, self.d, self.truth
        law = []
        for pattern in product((0, 1), repeat=special):
            special_members = sum(pattern)
            sets = comb(a - special, d - special_members) if special_members <= d else 0
            if special_place is None:
                law.append(sets / comb(a, d))
            elif pattern[special_place]:
                law.append(p * (sets / comb(a - 1, d - 1)))
            else:
                law.append((1 - p) * (sets / comb(a - 1, d)))
        return np.array(law)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols, for bounds after shuffling.

        A single pair of symbols is enough, because all pairs have equal distributions. The privacy
        blanket, a distribution that other people's reports have with some probability for any
        symbol, is a uniform set of d symbols.
        """
        weight = (1 - self.truth) * self.a / (self.a - self.d)
        u, v, b = (self._patterns(2, x) for x in (0, 1, None))
        equals = [PairLaw.over(v, u, v, shared=b)]
        if self.a > 2:
            own_law, other_law, third, any_set = (self._patterns(3, x) for x in (0, 1, 2, None))
            equals.append(PairLaw.over(third, own_law, other_law, shared=any_set))
        return [(PairLaw.over(b, u, v, weight), equals)]

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: two for each eight symbols."""
        return hex_width(self.a)

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - unused here
        """Return reports as hexadecimal text; symbol 0 is the highest bit of the first byte."""
        return to_hex(reports)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Return rows of bits from hexadecimal texts.

        Texts that are no set of d symbols are left out.
        """
        bits = from_hex(texts, self.a)
        return np.asarray(bits[bits.sum(axis=1, dtype=np.int64) == self.d])

    @property
    def reported_bits(self) -> float:
        """The number of bits that a report needs: log2 of the number of possible sets."""
        return log(self.outputs) / log(2)
