"""Information about P and T from simulated tallies, unbiased, if exact sums are too long.

    I(Y; P) = E log [ P(S | P) / P(S) ]          I(Y; T) = E log [ P(S | T) / P(S) ]

over P ~ prior, T | P, S | T. P(S) is an integral, estimated by importance sampling; the log of an
unbiased estimate is biased, so the bias is removed by telescoping over sample sizes N 2^l with
antithetic differences and a random level l (Rhee-Glynn; for information: Goda, Hironaka, Iwamoto
2020). P(S | T) is a point of the law of a sum of multinomials: a Fourier sum over the frequencies
with a characteristic function that is not negligible, with a spacing that keeps aliases 12 standard
deviations away; the rest is below 1e-10 of typical probabilities, and the work does not grow with
n.
"""

from dataclasses import dataclass
from math import ceil, pi, sqrt

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats
from .dirichlet import draws
from .exact_sums import log_multinomial
from .laplace import fit, log_weights

# The Rhee-Glynn levels: importance samples at the lowest, the chance that a level is followed by
# the next, and the last level.
FIRST = 32
CONTINUE = 2**-1.5
HIGHEST = 14
# If draws are worth less than this share of independent draws, the error bar is meaningless.
MIN_EFFECTIVE_SHARE = 0.03
# Number of tally vectors computed at once, which bounds the memory.
BATCH = 256
# Most frequencies of one Fourier sum.
MOST_FREQUENCIES = 2_000_000
# Aliases are at least 12 standard deviations away; frequencies reach 7.5 of their own deviations.
ALIAS, REACH = 12.0, 7.5


@dataclass(frozen=True, slots=True)
class SimulatedMean:
    """The mean of a quantity over simulated sets of people, with its standard error.

    Attributes:
        value: unbiased estimate.
        error: one standard error.
        samples: simulated sets of people.
    """

    value: float
    error: float
    samples: int


def estimate_information(
    rows: Floats, prior: Floats, n: int, samples: int, rng: np.random.Generator, *, tally: bool
) -> tuple[SimulatedMean, SimulatedMean | None]:
    """Return unbiased estimates of I(Y; P) and, if `tally`, of I(Y; T), in nats; else None for it.

    Y are the reports of n people, P the distribution of their values, T the counts of their values.

    Args:
        rows: distinct rows of the randomizer, reports x inputs, columns summing to 1.
        prior: Dirichlet parameters.
        n: people.
        samples: simulated sets of n people.
        rng: draws everything.
        tally: whether I(Y; T) is wanted; it needs few kinds of reports (a Fourier sum in b - 1
            dimensions) and raises ParameterError otherwise.
    """
    about_law, about_tally = [], []
    for start in range(0, samples, BATCH):
        count = min(BATCH, samples - start)
        p = draws(prior, count, rng)
        inputs = rng.multinomial(n, p)
        split = rng.multinomial(inputs, rows.T / rows.sum(axis=0)[:, None])
        tallies = split.sum(axis=1)
        if start == 0:
            _require_even(rows, prior, tallies[:16], rng)
        evidence = log_evidence(rows, prior, tallies, rng)
        given_law = (tallies * np.log(np.maximum(p @ rows.T, 1e-300))).sum(axis=1)
        about_law.append(given_law - evidence)
        if tally:
            given_inputs = [log_law_given(rows, t, s) for t, s in zip(inputs, tallies, strict=True)]
            about_tally.append(given_inputs - log_multinomial(tallies) - evidence)
    return _mean(about_law), _mean(about_tally) if tally else None


def log_evidence(
    rows: Floats, prior: Floats, tallies: npt.NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    """Return an unbiased estimate of log E[prod_y (RP)_y^s_y] for each row s of `tallies`.

    This is the log probability (nats) of a sequence of reports with these tallies; R are the
    randomizer's rows, P ~ Dirichlet(prior).
    """
    counts = tallies.astype(np.float64)
    proposal = fit(rows, prior, counts)
    level = np.minimum(rng.geometric(1 - CONTINUE, size=len(counts)) - 1, HIGHEST)
    value = _log_mean(log_weights(rows, prior, counts, proposal, FIRST, rng)[1])
    for truncation in np.unique(level):
        level_draws = np.flatnonzero(level == truncation)
        # P(level = l); the last level has the probability of all deeper levels too
        chance = CONTINUE**truncation * (1 - CONTINUE if truncation < HIGHEST else 1.0)
        for part in np.array_split(
            level_draws, max(1, (len(level_draws) << int(truncation)) // 512)
        ):
            narrow = type(proposal)(proposal.mode[part], proposal.root[part])
            size = FIRST << (int(truncation) + 1)
            w = log_weights(rows, prior, counts[part], narrow, size, rng)[1]
            halves = (_log_mean(w[:, : size // 2]) + _log_mean(w[:, size // 2 :])) / 2
            value[part] += (_log_mean(w) - halves) / chance
    return value


def _require_even(
    rows: Floats, prior: Floats, tallies: npt.NDArray[np.int64], rng: np.random.Generator
) -> None:
    """Refuse a randomizer whose importance weights are too uneven for a trustworthy estimate.

    Raises:
        ParameterError: the draws are worth less than `MIN_EFFECTIVE_SHARE` of independent draws.
    """
    counts = tallies.astype(np.float64)
    logs = log_weights(rows, prior, counts, fit(rows, prior, counts), 2048, rng)[1]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    effective_share = np.mean(weights.sum(axis=1) ** 2 / np.square(weights).sum(axis=1)) / 2048
    if effective_share < MIN_EFFECTIVE_SHARE:
        raise ParameterError(
            f"Q: with {prior.size} inputs and this noise the weights are too uneven to estimate "
            f"I(Y;P) ({effective_share:.2g} of even ones; needs {MIN_EFFECTIVE_SHARE}): use fewer "
            "inputs or "
            "less noise"
        )


def log_law_given(
    rows: Floats, inputs: npt.NDArray[np.int64], tallies: npt.NDArray[np.int64]
) -> float:
    """Return log P(S = tallies | T = inputs): report counts S of people with known value counts T.

    `rows` is the randomizer's matrix. S is a sum of multinomials; its probability at one point is a
    Fourier sum.

    Raises:
        ParameterError: more than `MOST_FREQUENCIES` frequencies would be needed.
    """
    n, mean = int(inputs.sum()), rows @ inputs
    spread = np.diag(mean) - (rows * inputs) @ rows.T
    possible = np.flatnonzero(mean > 0)
    if possible.size < 2:
        return 0.0
    kept_reports = possible[
        np.argsort(mean[possible])[:-1]
    ]  # the likeliest report follows from the rest
    covariance = spread[np.ix_(kept_reports, kept_reports)]
    period = [min(n + 1, ceil(ALIAS * sqrt(max(v, 0.0))) + 16) for v in np.diag(covariance)]
    theta = _frequencies(period, covariance)
    log_phi = np.zeros(len(theta), dtype=np.complex128)
    rotated = np.exp(1j * theta.T) - 1
    for x in np.flatnonzero(inputs):
        with np.errstate(divide="ignore"):
            character = 1 + sum(
                rows[y, x] * turn for y, turn in zip(kept_reports, rotated, strict=True)
            )
            log_phi += inputs[x] * np.log(character)
    terms = np.exp(log_phi - 1j * (theta @ tallies[kept_reports]))
    return float(np.log(max(np.real(terms).sum() / np.prod(period), 1e-300)))


def _frequencies(period: list[int], covariance: Floats) -> Floats:
    """Return the frequencies at which the characteristic function is not negligible.

    They are the terms of the Fourier sum, shape (frequencies, reports); `period` is the length of
    the grid in each direction.

    Raises:
        ParameterError: more than `MOST_FREQUENCIES` are needed.
    """
    spreads = _own_spread(covariance)
    axes = []
    for size, sd in zip(period, spreads, strict=True):
        furthest = size // 2 if sd == 0 else min(size // 2, ceil(REACH / sd * size / (2 * pi)) + 2)
        full = furthest >= size // 2
        k = np.arange(size) - size // 2 if full else np.arange(-furthest, furthest + 1)
        axes.append(2 * pi * k / size)
    if np.prod([float(len(axis)) for axis in axes]) > MOST_FREQUENCIES:
        raise ParameterError(
            f"Q: {len(axes) + 1} kinds of reports need more than {MOST_FREQUENCIES} frequencies "
            "for I(Y; T); leave it out with tally=False"
        )
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _own_spread(covariance: Floats) -> Floats:
    """Return each tally's standard deviation given all other tallies.

    It is the rate at which the characteristic function decays; 0 if the covariance is nearly
    singular.
    """
    eigenvalues = np.linalg.eigvalsh(covariance)
    if eigenvalues[0] < 1.0:  # the law is far from Gaussian, or a report count fixes another one
        return np.zeros(len(covariance))
    return np.asarray(1 / np.sqrt(np.diag(np.linalg.inv(covariance))))


def _log_mean(logs: Floats) -> Floats:
    """Return log of the mean of exp(logs), along the second axis."""
    from scipy.special import logsumexp

    return np.asarray(logsumexp(logs, axis=1) - np.log(logs.shape[1]))


def _mean(parts: list[Floats]) -> SimulatedMean:
    """Return the mean and the standard error of values computed in batches."""
    values = np.concatenate(parts)
    return SimulatedMean(
        float(values.mean()), float(values.std(ddof=1) / sqrt(values.size)), values.size
    )
