"""Unbiased estimates of I(Y; P) and I(Y; T) from simulated reports, if exact sums take too long.

Y are the reports and S their counts, T the counts of the true values, P the distribution of values.

    I(Y; P) = E log [ P(S | P) / P(S) ]          I(Y; T) = E log [ P(S | T) / P(S) ]

The expectations are over simulated P, then T given P, then S given T.

P(S) is an integral over P, estimated by importance sampling. The log of an unbiased estimate is
biased. The bias is removed by telescoping over sample sizes N 2^l with antithetic differences and a
random level l (Rhee-Glynn; for information: Goda, Hironaka, Iwamoto 2020).

P(S | T) is a probability of a sum of multinomials, computed as a Fourier sum. Only frequencies at
which the characteristic function is not negligible are summed. Their spacing makes the distribution
periodic; its copies are 12 standard deviations apart. The error is below 1e-10 of typical
probabilities, and the work does not grow with the number of people n.
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

# The Rhee-Glynn estimate removes the bias by a random number of importance samples: a level is
# drawn, and each level has twice the samples of the level before. FIRST: samples at the lowest
# level. CONTINUE: probability that a level is followed by the next. HIGHEST: the last level.
FIRST = 32
CONTINUE = 2**-1.5
HIGHEST = 14
# If an importance draw is worth less than this share of an independent draw, the standard error is
# meaningless.
MIN_EFFECTIVE_SHARE = 0.03
# Number of tally vectors computed at once, which bounds the memory.
BATCH = 256
# Most frequencies (terms) of a Fourier sum for the probability of report counts; beyond,
# ParameterError is raised.
MOST_FREQUENCIES = 2_000_000
# A Fourier sum yields a periodic distribution of report counts: ALIAS is the least distance of its
# copies, in standard deviations. REACH limits the frequencies summed, in standard deviations of the
# Gaussian that the characteristic function resembles.
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
    """Return unbiased estimates of I(Y; P) and, if `tally`, of I(Y; T), in nats.

    Y are the reports of n people, P the distribution of their values, T the counts of their values.
    The second estimate is None without `tally`.

    Args:
        rows: distinct rows of the randomizer, reports x inputs, columns summing to 1.
        prior: Dirichlet parameters.
        n: people.
        samples: simulated sets of n people.
        rng: source of all random draws.
        tally: whether I(Y; T) is estimated. It needs few kinds of reports, because a Fourier sum
            has a dimension for each kind but the last; otherwise ParameterError is raised.
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
    """Return an unbiased estimate of log E[prod_y (RP)_y^s_y] for each row s of `tallies`, in nats.

    This is the log probability of a sequence of reports in which report y occurs s_y times. R are
    the randomizer's rows, P ~ Dirichlet(prior) is the distribution of values.
    """
    counts = tallies.astype(np.float64)
    proposal = fit(rows, prior, counts)
    level = np.minimum(rng.geometric(1 - CONTINUE, size=len(counts)) - 1, HIGHEST)
    value = _log_mean(log_weights(rows, prior, counts, proposal, FIRST, rng)[1])
    for truncation in np.unique(level):
        level_draws = np.flatnonzero(level == truncation)
        # the probability of this level; the last level has that of all higher levels too
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

    rows: the randomizer's rows. prior: Dirichlet parameters. tallies: report counts to test, a
    vector in each row.

    Raises:
        ParameterError: a draw is worth less than `MIN_EFFECTIVE_SHARE` of an independent draw.
    """
    counts = tallies.astype(np.float64)
    logs = log_weights(rows, prior, counts, fit(rows, prior, counts), 2048, rng)[1]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    effective_share = np.mean(weights.sum(axis=1) ** 2 / np.square(weights).sum(axis=1)) / 2048
    if effective_share < MIN_EFFECTIVE_SHARE:
        raise ParameterError(
            f"Q: with {prior.size} inputs and this noise the importance weights are too uneven to "
            f"estimate I(Y;P) (a draw is worth {effective_share:.2g} of an independent draw; needs "
            f"{MIN_EFFECTIVE_SHARE}): use fewer inputs or less noise"
        )


def log_law_given(
    rows: Floats, inputs: npt.NDArray[np.int64], tallies: npt.NDArray[np.int64]
) -> float:
    """Return log P(S = tallies | T = inputs), the log probability of report counts of people.

    T are the counts of their true values, `rows` is the randomizer's matrix. S is a sum of
    multinomials, a vector for each value; the probability is a Fourier sum.

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
    ]  # the count of the likeliest report follows from the other counts
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
    """Return the frequencies of the Fourier sum: all with a characteristic function not negligible.

    The sum is the probability of report counts. Shape (frequencies, reports).

    Args:
        period: for each report, the number of frequencies of the full grid.
        covariance: of the report counts, shape (reports, reports).

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
            f"Q: found {len(axes) + 1} kinds of reports; to compute I(Y; T), the information about "
            f"the counts of values, needs more than {MOST_FREQUENCIES} terms of a Fourier sum: "
            "use fewer kinds of reports, or tally=False to leave I(Y; T) out"
        )
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _own_spread(covariance: Floats) -> Floats:
    """Return the standard deviation of each report's count given all other reports' counts.

    It is the rate at which the characteristic function decays in that report's frequency; 0 if the
    covariance is nearly singular.
    """
    eigenvalues = np.linalg.eigvalsh(covariance)
    # An eigenvalue below 1 means that the counts are far from Gaussian, or that a report's count
    # fixes another report's; so no decay is assumed.
    if eigenvalues[0] < 1.0:
        return np.zeros(len(covariance))
    return np.asarray(1 / np.sqrt(np.diag(np.linalg.inv(covariance))))


def _log_mean(logs: Floats) -> Floats:
    """Return the log of the mean of exp(logs), along the second axis."""
    from scipy.special import logsumexp

    return np.asarray(logsumexp(logs, axis=1) - np.log(logs.shape[1]))


def _mean(parts: list[Floats]) -> SimulatedMean:
    """Return the mean of simulated values and its standard error.

    parts: the values, computed in batches.
    """
    values = np.concatenate(parts)
    return SimulatedMean(
        float(values.mean()), float(values.std(ddof=1) / sqrt(values.size)), values.size
    )
