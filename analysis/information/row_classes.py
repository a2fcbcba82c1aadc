"""Classes of equivalent rows of a randomizer, for any number of inputs.

A row y holds P(report y | input x) for each input x. The information in an output y about the input
depends only on the values of its row and on the Dirichlet parameters of the inputs with each value;
rows that agree in both are one class. So

* generalised randomised response has one class for each distinct parameter, for any a;
* unary encoding and local hashing have two values in a row: `high` on a subset of the inputs into
  which each input falls with probability rho on its own, `low` elsewhere. Subsets with equal
  numbers of inputs of each parameter are one class: a + 1 classes for a symmetric prior, not 2^a.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..randomizers.randomizer import as_epsilon
from ..randomizers.two_level import TwoLevel
from ..validation import Floats, whole
from .channel_matrix import SHARE_DIGITS, as_matrix, as_prior

# Most classes of equivalent outputs that are summed exactly; if there are more, outputs (subsets of
# the inputs) are drawn at random.
MOST_CLASSES = 200_000
# Most entries of a matrix that is read row by row (1 GB of float64).
MOST_ENTRIES = 2**27


@dataclass(frozen=True, slots=True)
class RowClasses:
    """Classes of a randomizer's outputs with the same information about the input.

    The rows of a class are scaled so that their mean under the prior is the class's weight.

    Attributes:
        values: shape (classes, v), the distinct values of a row up to a factor, >= 0.
        masses: shape (classes, v), the sum of the Dirichlet parameters of the inputs with each
            value.
        weights: shape (classes,), the probability that an output of this class occurs.
        drawn: 0 if all classes are listed; else the number drawn at random, each with a weight
            whose mean over the draws is unbiased.
    """

    values: Floats
    masses: Floats
    weights: Floats
    drawn: int = 0


def two_level(Q: Any) -> TwoLevel | None:
    """Return the two-level form (`high` on a subset, `low` elsewhere) of a randomizer, or None.

    Unary encoding and local hashing with all functions have this form; `Q` may be in it already.
    """
    form: TwoLevel | None = getattr(Q, "two_level", None)
    return form


def all_hashes(a: int, g: int, epsilon: float) -> TwoLevel:
    """Return local hashing with all g^a hash functions (paper 002, Example 7.4), for any a.

    The report (h, c) is the inputs that h maps to c; each input is there with probability 1/g.
    `randomizers.LocalHash` draws from a smaller family of functions and is another randomizer: its
    matrix is read like any matrix. At equal g and epsilon both have the same privacy level LDP.

    >>> from veilmix.analysis.information import all_hashes, worst_case_privacy
    >>> round(worst_case_privacy(all_hashes(4, 2, 1.0)), 3)
    0.368

    Args:
        a: inputs, >= 2.
        g: hash values, >= 2.
        epsilon: nats, > 0.
    """
    g, epsilon = whole(g, "g", 2), as_epsilon(epsilon)
    total = 1 + (g - 1) * exp(-epsilon)
    return TwoLevel(whole(a, "a", 2), high=g / total, low=g * exp(-epsilon) / total, rho=1 / g)


def row_classes(Q: Any, prior: Any, rng: np.random.Generator) -> RowClasses:
    """Return the classes of equivalent outputs of any randomizer.

    They follow from its parameters if it is randomised response, unary encoding or local hashing,
    else from its matrix.
    """
    form = two_level(Q)
    if form is not None:
        return subset_classes(form, as_prior(prior, form.a), rng)
    if getattr(Q, "identity_form", None) is not None:
        return response_classes(Q.inputs, Q.epsilon, as_prior(prior, Q.inputs))
    rows = as_matrix(Q)
    return matrix_classes(rows, as_prior(prior, rows.shape[1]))


def response_classes(a: int, epsilon: float, prior: Floats) -> RowClasses:
    """Return the classes of generalised randomised response, a class for each distinct parameter.

    Its row y has e^epsilon at y and 1 elsewhere, up to a factor.
    """
    alpha, copies = np.unique(prior, return_counts=True)
    total = prior.sum()
    masses = np.column_stack([alpha, total - alpha])
    values = np.tile([1.0, exp(-epsilon)], (alpha.size, 1))
    share = (alpha + exp(-epsilon) * (total - alpha)) / total
    return RowClasses(values, masses, copies * share / (1 + (a - 1) * exp(-epsilon)))


def matrix_classes(rows: Floats, prior: Floats) -> RowClasses:
    """Return the classes of a matrix: equal values of a row are merged, and equal rows added up.

    Raises:
        ParameterError: more than `MOST_ENTRIES` entries.
    """
    if rows.size > MOST_ENTRIES:
        raise ParameterError(f"Q: {rows.size} entries; at most {MOST_ENTRIES} are read row by row")
    classes: dict[bytes, list[Any]] = {}
    shares = prior / prior.sum()
    for row in rows[rows @ shares > 0]:
        mean = float(row @ shares)
        _, first, inverse = np.unique(
            np.round(row / mean, SHARE_DIGITS), return_index=True, return_inverse=True
        )
        masses = np.bincount(inverse.ravel(), weights=prior)
        values = row[first] / mean
        key = np.round(np.concatenate([values, masses]), SHARE_DIGITS - 1).tobytes()
        classes.setdefault(key, [values, masses, 0.0])[2] += mean
    widest = max(len(values) for values, _, _ in classes.values())
    return RowClasses(
        _padded([values for values, _, _ in classes.values()], widest),
        _padded([masses for _, masses, _ in classes.values()], widest),
        np.array([weight for _, _, weight in classes.values()]),
    )


def subset_classes(form: TwoLevel, prior: Floats, rng: np.random.Generator) -> RowClasses:
    """Return the classes of reports that are subsets, by the inputs of each parameter they hold.

    If there are more than `MOST_CLASSES`, subsets are drawn at random.
    """
    from scipy.stats import binom

    alpha, copies = np.unique(prior, return_counts=True)
    count = 1
    for c in copies:
        count *= int(c) + 1
    if count > MOST_CLASSES:
        inside = rng.binomial(copies, form.rho, size=(MOST_CLASSES // 10, alpha.size))
        return _subsets(form, inside @ alpha, prior.sum(), np.full(len(inside), 1 / len(inside)))
    subset_masses, chance = np.zeros(1), np.ones(1)
    for value, c in zip(alpha, copies, strict=True):
        g = np.arange(c + 1)
        subset_masses = np.add.outer(subset_masses, value * g).ravel()
        chance = np.multiply.outer(chance, binom.pmf(g, c, form.rho)).ravel()
    return _subsets(form, subset_masses, prior.sum(), chance, exact=True)


def _subsets(
    form: TwoLevel, subset_masses: Floats, total: float, chance: Floats, *, exact: bool = False
) -> RowClasses:
    """Return classes of subsets from the summed parameters of each subset and its probability.

    `total` is the sum of all parameters; without `exact` the subsets are random draws.
    """
    masses = np.column_stack([subset_masses, np.maximum(total - subset_masses, 0.0)])
    weights = chance * (form.high * masses[:, 0] + form.low * masses[:, 1]) / total
    values = np.tile([form.high, form.low], (len(subset_masses), 1))
    real = (weights > 0) if exact else np.ones(len(subset_masses), dtype=bool)
    return RowClasses(
        values[real], masses[real], weights[real], drawn=0 if exact else len(subset_masses)
    )


def _padded(parts: list[Floats], width: int) -> Floats:
    """Return vectors of different lengths as the rows of one matrix, filled with zeros."""
    return np.array([np.pad(part, (0, width - part.size)) for part in parts])
