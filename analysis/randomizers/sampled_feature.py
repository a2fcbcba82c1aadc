"""Reports about one feature of several, drawn by each user, with the whole epsilon.

Of d features (columns) a person draws j uniformly, independently of its values. The report is
(j, y), y by the randomizer of feature j, which has the matrix Q^j. Entry ((j, y), x) of the whole
matrix is Q^j[y, x_j] / d, where x is a row of d values.

    epsilon      the largest of the d randomizers: the draw is independent of values, and j may be
                 known
    estimate     of feature j from the m_j reports about it, given m_j (`drawn_shares.py`)
    variance     d times that of one report with the whole epsilon, and that of the draw of people
    shuffled     the worst two rows differ in every feature (`sampled_neighbours`)

The alternative is to report every feature with epsilon / d (`product`). For small epsilon its
variance is d^2 times that of a single feature, and that of sampling only d times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod
from re import compile as pattern_of
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .composite_neighbours import sampled_neighbours
from .drawn_shares import estimate_drawn, limits_of_drawn, variance_of_drawn
from .estimate import Estimate, as_counts
from .expected_limits import ALPHA, SHARES, ExpectedLimits, paired
from .limits import joined
from .mixed_reports import MixedReports
from .neighbour_laws import Neighbours
from .pure import Pure
from .randomizer import Randomizer, Seed, Symbols, as_generator, as_symbols
from .row_numbers import check_rows


@dataclass(frozen=True, slots=True)
class SampledFeature(Randomizer):
    """A local randomizer of rows of features: each person reports about one drawn feature.

    People's inputs are rows of values, shape (people, d) for d features. Or they are row numbers,
    shape (people,), in which the last feature changes fastest.

    Attributes:
        parts: for each feature its randomizer, of a class with supporting reports (`Pure`); at
            least one.
    """

    parts: tuple[Pure, ...]

    takes_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the features' randomizers: at least one, all of the type `Pure`."""
        parts = tuple(self.parts)
        if not parts or not all(isinstance(part, Pure) for part in parts):
            kinds = ", ".join(type(part).__name__ for part in parts) or "none"
            raise ParameterError(
                f"parts: found {kinds}; needs randomizers whose reports support values, such as GRR"
            )
        object.__setattr__(self, "parts", parts)

    def __str__(self) -> str:
        return f"one of {len(self.parts)}: {', '.join(dict.fromkeys(map(str, self.parts)))}"

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats: the largest of the features' randomizers."""
        return max(part.epsilon for part in self.parts)

    @property
    def inputs(self) -> int:
        """The number of different rows of values."""
        return prod(part.inputs for part in self.parts)

    @property
    def outputs(self) -> int:
        """The number of possible reports: the sum of the numbers for each feature's randomizer."""
        return sum(part.outputs for part in self.parts)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        rows = self._rows(np.arange(self.inputs))
        laws = [part.matrix[:, symbols] for part, symbols in zip(self.parts, rows.T, strict=True)]
        return np.concatenate(laws) / len(self.parts)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two rows that differ in every feature.

        Bounds after shuffling use them. If the randomizer of a feature does not treat all values
        alike, they come from the matrix.
        """
        return sampled_neighbours(self.parts) or super(SampledFeature, self).neighbours()

    def inputs_of(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return people's rows of values: their codes in the requested columns, unchanged."""
        return np.asarray(codes)

    def _rows(self, x: npt.ArrayLike) -> Symbols:
        """Return people's inputs, rows of values or row numbers, as rows; shape (people, d).

        d is the number of features.
        """
        values, sizes = np.asarray(x), tuple(part.inputs for part in self.parts)
        if values.ndim == 1:
            return np.stack(np.unravel_index(as_symbols(x, self.inputs), sizes), axis=1)
        if values.ndim != 2 or values.shape[1] != len(sizes):
            raise ParameterError(f"x: shape {values.shape}; needs (people, {len(sizes)})")
        columns = [as_symbols(column, size) for column, size in zip(values.T, sizes, strict=True)]
        return np.stack(columns, axis=1)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> MixedReports:
        """Return the feature that each person drew, and a randomized report about its value.

        Args:
            x: rows of values, shape (people, d) for d features, or row numbers, shape (people,).
            rng: generator or seed.
        """
        rows, (chooser, noise) = self._rows(x), as_generator(rng).spawn(2)
        choice = chooser.integers(0, len(self.parts), len(rows))
        groups = [rows[choice == j, j] for j in range(len(self.parts))]
        reports = tuple(
            part.sample(group, noise) if len(group) else None
            for part, group in zip(self.parts, groups, strict=True)
        )
        return MixedReports(choice.astype(np.int64), reports)

    def symbols(self, reports: MixedReports) -> Symbols:
        """Return the row number of each report in the matrix of all reports.

        That matrix stacks the matrices of the features' randomizers.
        """
        check_rows(self)
        return reports.rows(self.parts)

    # Estimates, which need only the counts of reports.

    @property
    def positions(self) -> int:
        """The length of `support_counts`, a list of counts.

        There is a count for each feature, and a count for each of its values.
        """
        return sum(1 + part.inputs for part in self.parts)

    def support_counts(self, reports: MixedReports) -> Counts:
        """Return the number of reports about each feature, and of reports that support each value.

        All counts are in one list, feature by feature, the reports about the feature first.
        """
        counts = list[Counts]()
        for part, part_reports in zip(self.parts, reports.reports, strict=True):
            no_reports = np.zeros(part.inputs, np.int64), 0
            supporting, reports_drawn = (
                no_reports if part_reports is None else part.tally(part_reports)
            )
            counts.append(np.append(reports_drawn, supporting))
        return np.concatenate(counts).astype(np.int64)

    def estimate_features(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> list[Estimate]:
        """Return unbiased shares of the values of each feature, as one estimate for each feature.

        Args:
            counts: the result of `support_counts`, shape (positions,).
            people: number of all people that reported, about any feature.
            population: whether the errors count sampling these people from a large population.
        """
        people = whole(people, "people", 1)
        support_counts = as_counts(counts, self.positions, people)
        ends = np.cumsum([1 + part.inputs for part in self.parts])[:-1]
        estimates = []
        for part, part_counts in zip(self.parts, np.split(support_counts, ends), strict=True):
            reports_drawn = int(part_counts[0])
            estimates.append(
                estimate_drawn(part, part_counts[1:], reports_drawn, people, population=population)
            )
        return estimates

    def estimate(self, reports: MixedReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the values of all features, one feature after another.

        population: whether the errors also count drawing the people from a large population.
        """
        feature_estimates = self.estimate_features(
            self.support_counts(reports), len(reports), population=population
        )
        return Estimate(
            np.concatenate([estimate.shares for estimate in feature_estimates]),
            np.concatenate([estimate.errors for estimate in feature_estimates]),
            len(reports),
            str(self),
            kind="bits",
            population=population,
            limits=lambda alpha: joined([estimate.limits(alpha) for estimate in feature_estimates]),
        )

    def variances(self, shares: Sequence[npt.ArrayLike], people: int) -> list[Floats]:
        """Return the variance of each estimated share, feature by feature.

        It is assumed that n / d people report about each of d features.

        Args:
            shares: the true shares of the values of each feature.
            people: n.
        """
        reports_drawn = people / len(self.parts)
        return [
            variance_of_drawn(part, np.asarray(part_shares, np.float64), reports_drawn, people)
            for part, part_shares in zip(self.parts, shares, strict=True)
        ]

    def noise(self) -> float:
        """Return n times the variance of a share's estimate, for many people and uniform inputs.

        n is the number of people.
        """
        d, even_shares = len(self.parts), [1 / part.inputs for part in self.parts]
        noises = [
            d * part.noise() + (d - 1) * share * (1 - share)
            for part, share in zip(self.parts, even_shares, strict=True)
        ]
        return sum(noises) / d

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % confidence limits of shares, for the feature with the widest limits.

        There are limits for true shares of 1/2, then of 0, 1/4, 3/4 and 1. people: the number of
        all people, of whom each reports about one feature.
        """
        reports_drawn = people // len(self.parts)
        if not reports_drawn:
            return (ExpectedLimits("shares", ((0.0, 1.0),)),)
        expected_by_part = []
        for part in dict.fromkeys(self.parts):
            mean = reports_drawn * (part.lie + np.array(SHARES) * (part.truth - part.lie))
            counts = np.rint(mean).astype(np.int64)
            limits = paired(limits_of_drawn(part, counts, reports_drawn, people, ALPHA))
            expected_by_part.append(ExpectedLimits("shares", limits))
        return (max(expected_by_part, key=lambda expected: expected.reach),)

    # Reports as text, all of one width, so that the length does not reveal the feature.

    @property
    def text_width(self) -> int:
        """The number of characters of a report: the feature's index, and the widest report."""
        return self._digits + max(map(_width, self.parts))

    @property
    def _digits(self) -> int:
        """The number of hexadecimal digits of the index of a feature."""
        return len(f"{len(self.parts) - 1:x}")

    def encode(self, reports: MixedReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return reports as text: the index of the feature in hexadecimal, its report, and zeros.

        Zeros fill every text to one width. If the randomizer of the feature reports a value of the
        domain, the index of that value is written in hexadecimal.
        """
        texts = [""] * len(reports)
        for j, (part, part_reports) in enumerate(zip(self.parts, reports.reports, strict=True)):
            if part_reports is None:
                continue
            encoded = part.encode(part_reports, _numbers(part))
            for place, text in zip(np.flatnonzero(reports.choice == j), encoded, strict=True):
                texts[place] = f"{j:0{self._digits}x}{text}".ljust(self.text_width, "0")
        return texts

    def decode(self, texts: Sequence[str]) -> MixedReports:
        """Return reports, ordered by feature, from texts.

        Texts that no person could send are left out.
        """
        choice, reports = [], []
        for j, part in enumerate(self.parts):
            head, width = f"{j:0{self._digits}x}", _width(part)
            ends = "0" * (self.text_width - self._digits - width)
            start = len(head)
            cut = [
                text[start : start + width]
                for text in texts
                if text.startswith(head) and text[start + width :] == ends
            ]
            part_reports = _decoded(part, cut)
            reports.append(part_reports if len(part_reports) else None)
            choice.append(np.full(len(part_reports), j, np.int64))
        return MixedReports(np.concatenate(choice), tuple(reports))

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each row, shape (own, values).

        A report's log-likelihood is that under the randomizer of the drawn feature; the probability
        of the draw is the same for all rows. Terms that are equal for all rows are left out.

        values: the different rows of values, one for each feature. own: the index in `values` of
        each sender's row.
        """
        own_rows, (chooser, noise) = np.asarray(own), as_generator(rng).spawn(2)
        choice = chooser.integers(0, len(self.parts), len(own_rows))
        likely = np.zeros((len(own_rows), len(values)))
        for j, part in enumerate(self.parts):
            if (mine := choice == j).any():
                likely[mine] = part.log_likelihood(values[:, [j]], own_rows[mine], noise)
        return likely

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats: the mean over the features' randomizers, at most log n. attained: whether each of
        them reaches its bound, and n is at least the number of different rows.
        """
        capacities = [part.capacity(people) for part in self.parts]
        nats = sum(nats_of_part for nats_of_part, _ in capacities) / len(capacities)
        attained = all(is_attained for _, is_attained in capacities) and people >= self.inputs
        return min(nats, log(people)), attained

    def contraction(self) -> float:
        """Return the contraction coefficient: the mean over the features' randomizers.

        It is the largest share of any information about the row that a report retains. It is
        reached if all features are copies of one value.
        """
        return sum(part.contraction() for part in self.parts) / len(self.parts)


def _numbers(part: Pure) -> list[str]:
    """Return a text for each value of a feature: its index in hexadecimal.

    These texts are used if the feature's randomizer `part` reports values of its domain. The list
    is empty if the randomizer has its own texts for reports.
    """
    return [] if part.text_width is not None else [_number(part, x) for x in range(part.inputs)]


def _number(part: Pure, symbol: int) -> str:
    """Return the index of a symbol in hexadecimal, with the width of the reports of `part`.

    part: the randomizer of a feature.
    """
    return f"{symbol:0{_width(part)}x}"


def _width(part: Pure) -> int:
    """Return the number of characters of a report of `part`, the randomizer of a feature.

    If its reports are values of a domain, it is the number of hexadecimal digits of the largest
    index.
    """
    width = part.text_width
    return len(f"{part.inputs - 1:x}") if width is None else width


def _decoded(part: Pure, texts: Sequence[str]) -> Any:
    """Return the reports of `part`, the randomizer of a feature, from their texts.

    Texts that are no report of `part` are left out.
    """
    if part.text_width is None:
        numbers = np.array([int(text, 16) for text in texts], np.int64)
        return numbers[numbers < part.inputs]
    pattern = pattern_of(part.text_pattern)
    fitting = [text for text in texts if pattern.fullmatch(text)]
    return part.decode(fitting) if fitting else ()
