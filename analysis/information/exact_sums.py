"""Exact distributions behind finite-n information, by the shortest sums known for them.

S = tallies (counts) of the reports, T = tallies of the true values, n people; Q is the randomizer
with b reports and a values, P the distribution of values.

* Distribution of S: E[prod_y (QP)_y^s_y] is the mean of a polynomial of degree n. A Gauss rule in
  stick-breaking coordinates gives it exactly, with positive weights: (n/2 + 1)^(a-1) points.
* Distribution of S given T = t: its characteristic function is a product of powers of the
  characteristic functions of Q's columns. It is computed on a grid of (n + 1)^(b-1) frequencies for
  every t, and a fast Fourier transform gives the distribution.
"""

from collections.abc import Iterator
from math import comb

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .dirichlet import polynomial_rule

Tallies = npt.NDArray[np.int64]

# Work arrays hold at most this many numbers, which bounds the memory.
BLOCK = 4_000_000


def compositions(n: int, parts: int) -> Tallies:
    """Return all vectors of `parts` whole numbers >= 0 with sum n: the tallies of n people.

    A tally counts the people with each value, or the reports of each kind. The result has shape
    (C(n + parts - 1, n), parts), with C the binomial coefficient.
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    people_left = np.array([n])
    for _ in range(parts - 1):
        repeats = people_left + 1
        starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
        new = np.arange(repeats.sum()) - starts
        rows = np.column_stack([np.repeat(rows, repeats, axis=0), new])
        people_left = np.repeat(people_left, repeats) - new
    return np.column_stack([rows, people_left])


def log_multinomial(tallies: Tallies) -> Floats:
    """Return the log number of sequences of n reports with given counts s of each kind of report.

    It is log of n! / prod s_y!, with s_y the number of reports y. The counts are along the last
    axis.
    """
    from scipy.special import gammaln

    n = tallies.sum(axis=-1)
    return np.asarray(gammaln(n + 1) - gammaln(tallies + 1).sum(axis=-1))


def output_law(rows: Floats, prior: Floats, n: int) -> tuple[Tallies, Floats]:
    """Return every possible tally vector S of n reports, and its probability under the prior.

    A tally vector counts the reports of each of b kinds. Shapes: (tallies, b) and (tallies,).

    rows: the distinct rows of the randomizer, b reports x inputs. prior: Dirichlet parameters of
    the distribution of the people's values, shape (inputs,).
    """
    tallies = compositions(n, len(rows))
    coefficient = log_multinomial(tallies)
    points, weights = polynomial_rule(prior, n)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(points @ rows.T, 0.0))
    # log 0 is replaced by a finite number, so that 0 log 0 is 0; e^-1e6 still underflows to 0
    logs = np.maximum(logs, -1e6)
    law = np.empty(len(tallies))
    step = max(1, BLOCK // len(points))
    for i in range(0, len(tallies), step):
        part = slice(i, i + step)
        law[part] = weights @ np.exp(logs @ tallies[part].T + coefficient[part])
    return tallies, law / law.sum()


def output_law_cost(b: int, a: int, n: int) -> int:
    """Return the number of terms that `output_law` adds up for b reports, a inputs and n people."""
    return comb(n + b - 1, b - 1) * int((n // 2 + 1) ** (a - 1))


def conditional_entropy(rows: Floats, prior: Floats, n: int) -> float:
    """Return the entropy of the report tallies given the tallies of the true values, in nats.

    rows: the distinct rows of the randomizer. prior: Dirichlet parameters of the distribution of
    values. n: number of people.
    """
    from scipy.special import xlogy

    inputs = compositions(n, rows.shape[1])
    chance = np.exp(log_multinomial(inputs) + _log_sequence(prior, inputs))
    chance /= chance.sum()
    total = 0.0
    for part, laws in _laws_given(rows, inputs, n):
        total -= float(chance[part] @ xlogy(laws, laws).reshape(len(laws), -1).sum(axis=1))
    return max(0.0, total)


def conditional_cost(b: int, a: int, n: int) -> int:
    """Return the count of numbers in the Fourier transforms of `conditional_entropy`.

    b: kinds of reports. a: inputs. n: people.
    """
    return comb(n + a - 1, a - 1) * int((n + 1) ** (b - 1))


def _laws_given(rows: Floats, inputs: Tallies, n: int) -> Iterator[tuple[slice, Floats]]:
    """Yield the distributions of the report tallies S given the tallies t of the true values.

    Each item is a slice of `inputs`, and an array of probabilities for each t in the slice. The
    array has an axis for each of the first b - 1 entries of S, from 0 to n; the last entry follows,
    because S sums to n.

    rows: the b distinct rows of the randomizer. inputs: all possible t. n: number of people.
    """
    shape = (n + 1,) * (len(rows) - 1)
    characters = _characters(rows, shape)
    inside = sum(np.ogrid[tuple(slice(0, m) for m in shape)]) <= n if len(shape) else True
    step = max(1, BLOCK // (n + 1) ** len(shape))
    for i in range(0, len(inputs), step):
        part = slice(i, min(i + step, len(inputs)))
        product = np.ones((part.stop - i, *characters.shape[1:]), dtype=np.complex128)
        for x, character in enumerate(characters):
            product *= character[None] ** inputs[part, x].reshape(-1, *(1,) * len(shape))
        axes = tuple(range(1, len(shape) + 1))
        laws = np.fft.irfftn(product, s=shape, axes=axes) if shape else product.real
        yield part, np.where(inside, np.maximum(laws, 0.0), 0.0)


def _characters(rows: Floats, shape: tuple[int, ...]) -> npt.NDArray[np.complex128]:
    """Return the characteristic function of one person's report for each input, shape (a, ...).

    It is sum_y Q_y|x e^(-i theta_y) for input x and report y, at the frequencies theta of a real
    Fourier transform, half of the grid.

    rows: the rows of the randomizer Q. shape: shape of the full grid.
    """
    last = len(rows) - 1
    result = np.empty((rows.shape[1], *_half(shape)), dtype=np.complex128)
    for x in range(rows.shape[1]):
        kernel = np.zeros(shape)
        kernel[(0,) * last] = rows[last, x]
        for y in range(last):
            kernel[tuple(int(i == y) for i in range(last))] += rows[y, x]
        result[x] = np.fft.rfftn(kernel) if shape else rows[0, x]
    return result


def _half(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the real Fourier transform of an array of shape `shape`."""
    return (*shape[:-1], shape[-1] // 2 + 1) if shape else ()


def _log_sequence(prior: Floats, tallies: Tallies) -> Floats:
    """Return the log probability of one sequence of people's values with these tallies t.

    It is log of B(prior + t) / B(prior), B the multivariate beta function; the distribution P of
    values is integrated out under its Dirichlet prior.
    """
    from scipy.special import gammaln

    total, n = prior.sum(), tallies.sum(axis=-1)
    rising = (gammaln(prior + tallies) - gammaln(prior)).sum(axis=-1)
    return np.asarray(rising - gammaln(total + n) + gammaln(total))
