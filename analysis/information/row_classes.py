"""Classes of equivalent rows of a randomizer, for any number of inputs.

A row y holds P(report y | input x) for each input x. The information in a report y about the input
depends only on two things: the distinct values in its row, and the sum of the prior's Dirichlet
parameters over the inputs with each value. Rows that agree in both form a class. So

* generalised randomised response has a class for each distinct parameter, for any number of
  inputs;
* a report of unary encoding or local hashing is a subset of the inputs, and its row has two values:
  `high` on the subset, `low` elsewhere. Each input is in the subset independently with probability
  rho. Subsets with equal numbers of inputs of each parameter form a class. If all a parameters are
  equal, a + 1 classes replace 2^a subsets.
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

# Most classes that are summed exactly. A class holds the reports that give the same information
# about the input. If there are more, some reports are drawn at random in their place.
MOST_CLASSES = 200_000
# Most entries of a matrix that is read row by row (1 GB of float64); larger ones are refused.
MOST_ENTRIES = 2**27


@dataclass(frozen=True, slots=True)
class RowClasses:
    """Classes of a randomizer's reports with the same information about the input.

    A report's row holds P(report | input) for each input. It is scaled to mean 1 under the prior.

    Attributes:
        values: shape (classes, v), the distinct values of a row up to a factor, >= 0.
        masses: shape (classes, v), the sum of the prior's Dirichlet parameters over the inputs with
            each value.
        weights: shape (classes,), the probability that a report of this class occurs.
        drawn: 0 if all classes are listed; else the number of reports drawn at random, with weights
            that sum to an unbiased estimate over the draws.
    """

    values: Floats
    masses: Floats
    weights: Floats
    drawn: int = 0


def two_level(Q: Any) -> TwoLevel | None:
    """Return the two-level form of a randomizer, or None if it has none.

    A report of the form is a subset of the inputs. Its probability is, up to a factor, `high` for
    each input in the subset and `low` for all other inputs. Unary encoding and local hashing with
    all functions have this form.

    Q: a randomizer, or a matrix, which has no such form.
    """
    form: TwoLevel | None = getattr(Q, "two_level", None)
    return form


def all_hashes(a: int, g: int, epsilon: float) -> TwoLevel:
    """Return local hashing with all g^a hash functions (paper 002, Example 7.4), for any a.

    A report is a hash function h and a hash value c. It stands for the subset of inputs that h maps
    to c; each input is in the subset with probability 1/g. `randomizers.LocalHash` is a different
    randomizer, because it draws from a smaller family of functions. At equal g and epsilon it has
    the same local differential privacy level.

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
    """Return the classes of reports that give the same information, for any randomizer.

    For randomised response, unary encoding and local hashing the classes follow from the
    parameters, else from the matrix.

    Q: the randomizer or its matrix. prior: the Dirichlet parameters of the inputs. rng: source of
    random reports if there are too many classes.
    """
    form = two_level(Q)
    if form is not None:
        return subset_classes(form, as_prior(prior, form.a), rng)
    if getattr(Q, "identity_form", None) is not None:
        return response_classes(Q.inputs, Q.epsilon, as_prior(prior, Q.inputs))
    rows = as_matrix(Q)
    return matrix_classes(rows, as_prior(prior, rows.shape[1]))


def response_classes(a: int, epsilon: float, prior: Floats) -> RowClasses:
    """Return the classes of equivalent reports of generalised randomised response.

    There is a class for each distinct Dirichlet parameter in `prior`, because the row of report y
    is, up to a factor, e^epsilon at input y and 1 elsewhere. `a` is the number of inputs.
    """
    alpha, copies = np.unique(prior, return_counts=True)
    total = prior.sum()
    masses = np.column_stack([alpha, total - alpha])
    values = np.tile([1.0, exp(-epsilon)], (alpha.size, 1))
    share = (alpha + exp(-epsilon) * (total - alpha)) / total
    return RowClasses(values, masses, copies * share / (1 + (a - 1) * exp(-epsilon)))


def matrix_classes(rows: Floats, prior: Floats) -> RowClasses:
    """Return the classes of equivalent reports of a randomizer given as a matrix.

    Equal values of a row are merged, and equal rows added up. `rows` holds P(report | input),
    `prior` the Dirichlet parameters of the inputs.

    Raises:
        ParameterError: more than `MOST_ENTRIES` entries.
    """
    if rows.size > MOST_ENTRIES:
        raise ParameterError(
            f"Q: found a matrix of {rows.size} entries; at most {MOST_ENTRIES} are accepted"
        )
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
    """Return the classes of equivalent reports, if each report is a subset of the inputs.

    A class is given by the number of inputs in the subset for each distinct Dirichlet parameter in
    `prior`. If there are more than `MOST_CLASSES`, subsets are drawn at random.

    form: the two relative probabilities of a report, for inputs in the subset and for others.
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
    """Return the classes of equivalent reports, if each report is a subset of the inputs.

    Args:
        form: the two relative probabilities of a report, for inputs in the subset and for others.
        subset_masses: the sum of the prior's Dirichlet parameters over the inputs in each subset.
        total: the sum of all the prior's parameters.
        chance: the probability of each subset if every input is in the subset independently with
            probability `form.rho`; for random draws a share of 1 for all together.
        exact: whether all classes are listed; else the subsets are random draws.
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
