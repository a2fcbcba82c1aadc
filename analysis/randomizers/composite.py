"""Randomizers made of randomizers (paper 002, Section 7).

    composition   R o Q: randomize with Q, then the report with R      matrix R Q       (Def. 7.1)
    product       report Q^1(x), ..., Q^k(x) together                  rows: tuples     (Def. 7.5)
    mixture       draw j with probability w_j, report (j, Q^j(x))      rows: stacked    (Def. 7.7)

The local epsilon of a composition R o Q is at most that of Q. That of a product is the maximum over
two inputs x, x' of the sum of the parts' largest log-likelihood ratios, at most the sum of the
parts' epsilons. That of a mixture is the largest epsilon of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, as_probabilities, sequence
from .bit_flip import BitFlip
from .channel import Channel, as_randomizer
from .composite_neighbours import mixture_neighbours, product_neighbours
from .estimate import Estimate
from .grr import GRR
from .mixed_reports import MixedReports
from .moment_limits import ShareLaws, added, drawn
from .neighbour_laws import Neighbours
from .randomizer import Randomizer, Seed, Symbols, as_generator, as_symbols
from .row_numbers import check_rows
from .unary import UnaryEncoding

# A randomizer's estimate is weighted by the inverse of its variance, which is taken to be at least
# this. So a randomizer without noise has a finite weight, almost all of the total.
SILENT = 1e-12


@dataclass(frozen=True, slots=True)
class Composition(Randomizer):
    """Two randomizers in sequence, made by `compose`.

    Attributes:
        first: the randomizer of the input.
        second: the randomizer of the reports of `first`.
    """

    first: Randomizer
    second: Randomizer

    def __str__(self) -> str:
        return f"{self.second} after {self.first}"

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats of both stages together, from the product of their matrices."""
        return float(self.divergences().max())

    @property
    def inputs(self) -> int:
        """The number of possible values of a user: the inputs of the first stage."""
        return self.first.inputs

    @property
    def outputs(self) -> int:
        """The number of possible reports of the second stage."""
        return self.second.outputs

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        return np.asarray(self.second.operator @ self.first.matrix)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Any:
        """Return a report for each person: the second stage randomizes the first stage's report.

        Each stage has its own spawned random generator. x: people's values, shape (people,).
        """
        first, second = as_generator(rng).spawn(2)
        return self.second.sample(self.first.sample(x, first), second)

    def symbols(self, reports: Any) -> Symbols:
        """Return the row number of each report in the matrix of the second stage."""
        return self.second.symbols(reports)

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the inputs, by the left inverse of the product matrix."""
        return Channel(self.matrix, str(self)).estimate(
            self.symbols(reports), population=population
        )


@dataclass(frozen=True, slots=True)
class Product(Randomizer):
    """A randomizer that applies several randomizers to a value and sends all of their reports.

    Attributes:
        parts: the randomizers, of the same inputs; a report is a tuple with a report of each.
    """

    parts: tuple[Randomizer, ...]

    def __str__(self) -> str:
        return " x ".join(map(str, self.parts))

    @property
    def epsilon(self) -> float:
        """The exact local epsilon in nats of all reports of a person together.

        It is the maximum over two inputs of the sum, over the parts, of a report's largest
        log-likelihood ratio. So it is at most the sum of the parts' epsilons.
        """
        return float(self.divergences().max())

    def divergences(self) -> Floats:
        """Return, for every two inputs, the largest log-likelihood ratio of a report, in nats.

        Shape (inputs, inputs). A report is a tuple with a report of each part; the parts' largest
        ratios add up.
        """
        return np.asarray(sum(part.divergences() for part in self.parts))

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two inputs, for bounds after shuffling.

        If for each part all pairs of values are alike, the products of the parts' distributions
        are returned. Otherwise the distributions come from the matrix, or from epsilon alone.
        """
        return product_neighbours(self.parts) or super(Product, self).neighbours()

    @property
    def inputs(self) -> int:
        """The number of possible values of a user, common to all parts."""
        return self.parts[0].inputs

    @property
    def outputs(self) -> int:
        """The number of possible reports: the product of the parts' numbers of reports."""
        result = 1
        for part in self.parts:
            result *= part.outputs
        return result

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        Q = np.ones((1, self.inputs))
        for part in self.parts:
            Q = (Q[:, None, :] * part.matrix[None, :, :]).reshape(-1, self.inputs)
        return Q

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> tuple[Any, ...]:
        """Return an array of reports for each part; each part has its own random generator.

        x: people's values, shape (people,); every part randomizes them.
        """
        children = as_generator(rng).spawn(len(self.parts))
        return tuple(
            part.sample(x, child) for part, child in zip(self.parts, children, strict=True)
        )

    def symbols(self, reports: Any) -> Symbols:
        """Return the row number of each report in the matrix; the last part varies fastest."""
        check_rows(self)
        number: Symbols = np.zeros(1, np.int64)
        for part, part_reports in zip(self.parts, self._checked(reports), strict=True):
            number = number * part.outputs + part.symbols(part_reports)
        return number

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:
        """Return the mean of the parts' estimates, weighted by the inverse of their noise.

        The weights depend on the randomizers only, not on the reports, so the mean is unbiased. The
        parts' noises are independent for fixed people. population: the errors include the drawing
        of these people.
        """
        estimates = [
            part.estimate(part_reports)
            for part, part_reports in zip(self.parts, self._checked(reports), strict=True)
        ]
        precision = np.array([1 / max(part.noise(), SILENT) for part in self.parts])
        weights = precision / precision.sum()
        shares = np.asarray(sum(w * e.shares for w, e in zip(weights, estimates, strict=True)))
        noise = np.asarray(
            sum((w * e.errors) ** 2 for w, e in zip(weights, estimates, strict=True))
        )
        first = estimates[0]
        return Estimate.from_noise(
            shares,
            noise,
            first.people,
            str(self),
            kind=first.kind,
            population=population,
            laws=added(weights.tolist(), [e.laws for e in estimates]),
        )

    def _checked(self, reports: Any) -> tuple[Any, ...]:
        """Return `reports` after a check that they are a tuple with one array for each part."""
        if not isinstance(reports, tuple) or len(reports) != len(self.parts):
            raise ParameterError(f"reports: needs a tuple of {len(self.parts)} arrays of reports")
        return reports


@dataclass(frozen=True, slots=True, eq=False)
class Mixture(Randomizer):
    """A randomizer that draws one of its parts for each person and names that part in the report.

    Attributes:
        weights: the probability of each part; they sum to 1.
        parts: randomizers of the same inputs.
    """

    weights: Floats
    parts: tuple[Randomizer, ...]

    def __str__(self) -> str:
        return " + ".join(f"{w:g} {part}" for w, part in zip(self.weights, self.parts, strict=True))

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats: the largest epsilon of a part with positive weight."""
        return float(self.divergences().max())

    def divergences(self) -> Floats:
        """Return, for every two inputs, the largest log-likelihood ratio of a report, in nats.

        Shape (inputs, inputs). It is the largest of all parts that are drawn with positive
        probability.
        """
        used_parts = [p for w, p in zip(self.weights, self.parts, strict=True) if w > 0]
        return np.asarray(np.maximum.reduce([part.divergences() for part in used_parts]))

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two inputs, for bounds after shuffling.

        If for each part all pairs of values are alike, an outcome is a drawn part and an outcome of
        its distributions. Otherwise the distributions come from the matrix, or from epsilon alone.
        """
        mixed_neighbours = mixture_neighbours(self.weights, self.parts)
        return mixed_neighbours or super(Mixture, self).neighbours()

    @property
    def inputs(self) -> int:
        """The number of possible values of a user, common to all parts."""
        return self.parts[0].inputs

    @property
    def outputs(self) -> int:
        """The number of possible reports: the sum of the parts' numbers of reports."""
        return sum(part.outputs for part in self.parts)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        pairs = zip(self.weights, self.parts, strict=True)
        return np.concatenate([w * part.matrix for w, part in pairs])

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> MixedReports:
        """Return the drawn part of each person and the reports by part.

        The draw and each part have their own spawned random generators. x: people's values, shape
        (people,).
        """
        values = as_symbols(x, self.inputs)
        chooser, *children = as_generator(rng).spawn(1 + len(self.parts))
        choice = chooser.choice(len(self.parts), size=len(values), p=self.weights)
        groups = [values[choice == j] for j in range(len(self.parts))]
        reports = tuple(
            part.sample(group, child) if len(group) else None
            for part, group, child in zip(self.parts, groups, children, strict=True)
        )
        return MixedReports(choice.astype(np.int64), reports)

    def symbols(self, reports: MixedReports) -> Symbols:
        """Return the row number of each report in the matrix of all stacked parts."""
        check_rows(self)
        return reports.rows(self.parts)

    def estimate(self, reports: MixedReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares: the mean of the parts' estimates, weighted by their users.

        population: the errors include the drawing of these people.
        """
        people = len(reports)
        estimates = [
            part.estimate(part_reports)
            for part, part_reports in zip(self.parts, reports.reports, strict=True)
            if part_reports is not None
        ]
        if not estimates:
            raise ParameterError("reports: none; needs a report of at least one person")
        shares = np.asarray(sum(e.people / people * e.shares for e in estimates))
        noise = np.asarray(sum((e.people / people * e.errors) ** 2 for e in estimates))
        return Estimate.from_noise(
            shares,
            noise,
            people,
            str(self),
            kind=estimates[0].kind,
            population=population,
            laws=drawn(self.weights, self._laws(reports)),
        )

    def _laws(self, reports: MixedReports) -> list[ShareLaws]:
        """Return, for each part, the distributions of a report's contribution to the shares.

        For a part that no user drew, a single simulated report gives them.
        """
        return [
            part.estimate(
                part.sample(np.zeros(1, np.int64), 0) if part_reports is None else part_reports
            ).laws
            for part, part_reports in zip(self.parts, reports.reports, strict=True)
        ]


def compose(*stages: Randomizer | npt.ArrayLike) -> Randomizer:
    """Return several randomizers in sequence as a single randomizer.

    The first argument receives the value, and each further argument the report before it. R o Q of
    paper 002, Definition 7.1, is `compose(Q, R)`. Two stages that together are a randomizer of a
    known family become that randomizer, so that large alphabets need no matrix. These are GRR after
    GRR, and bit flips after bit flips or after a unary encoding.

    Args:
        stages: randomizers, or reports x inputs matrices with columns of probabilities.

    Raises:
        ParameterError: a stage has another number of inputs than the stage before has outputs.
    """
    result, *rest = _parts(stages, "stages")
    for following in rest:
        if following.inputs != result.outputs:
            raise ParameterError(
                f"stages: {following} has {following.inputs} inputs; {result} has "
                f"{result.outputs} outputs; needs as many inputs as outputs"
            )
        result = _merged(result, following) or Composition(result, following)
    return result


def product(*parts: Randomizer | npt.ArrayLike) -> Product:
    """Return a randomizer that applies all of `parts` to one value (paper 002, Definition 7.5).

    Args:
        parts: randomizers or matrices with equal inputs.
    """
    return Product(_same_inputs(_parts(parts, "parts")))


def mixture(weights: npt.ArrayLike, parts: Sequence[Randomizer | npt.ArrayLike]) -> Mixture:
    """Return a randomizer that draws one of its parts for each person and names it in the report.

    Paper 002, Definition 7.7.

    Args:
        weights: probability of each part, sum 1.
        parts: randomizers or matrices with equal inputs.
    """
    same_input_parts = _same_inputs(_parts(parts, "parts"))
    shares = as_probabilities(weights, "weights")
    if len(shares) != len(same_input_parts):
        raise ParameterError(
            f"weights: found {len(shares)} for {len(same_input_parts)} parts; needs one for each"
        )
    return Mixture(shares / shares.sum(), same_input_parts)


def _parts(parts_given: Sequence[Randomizer | npt.ArrayLike], name: str) -> tuple[Randomizer, ...]:
    """Return a sequence of randomizers or matrices as a tuple of randomizers.

    Raises a ParameterError, which starts with `name`, if the sequence is empty.
    """
    parts = sequence(parts_given, name, "randomizers or matrices")
    if not parts:
        raise ParameterError(f"{name}: none given; needs at least one randomizer or matrix")
    return tuple(as_randomizer(part) for part in parts)


def _same_inputs(parts: tuple[Randomizer, ...]) -> tuple[Randomizer, ...]:
    """Return `parts` after a check that all have the same number of inputs."""
    inputs = [part.inputs for part in parts]
    if len(set(inputs)) > 1:
        raise ParameterError(f"parts: found {inputs} inputs; needs an equal number in all parts")
    return parts


def _merged(first: Randomizer, second: Randomizer) -> Randomizer | None:
    """Return `second` after `first` as one randomizer of a class such as `BitFlip`.

    None if no such class has the combined distribution, or it is not known.
    """
    if isinstance(second, BitFlip):
        p, q = 1 - second.q, second.q
        if isinstance(first, BitFlip):
            return BitFlip(first.bits, min(0.5, first.q * p + (1 - first.q) * q))
        if isinstance(first, UnaryEncoding):
            kappa, lam = (
                first.kappa * p + (1 - first.kappa) * q,
                first.lam * p + (1 - first.lam) * q,
            )
            return UnaryEncoding(first.a, kappa, min(kappa, lam))
    if isinstance(first, GRR) and isinstance(second, GRR):
        truth = first.truth * second.truth + (first.a - 1) * first.lie * second.lie
        return GRR(first.a, log(truth * (first.a - 1) / (1 - truth)))
    return None
