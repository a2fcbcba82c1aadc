"""The posterior of an incidence vector given its noisy version, by parallel Markov chains.

Phi_t counts the positions set in exactly t of n vectors of m bits, Psi_t the same after the bits
were flipped; A is the transition matrix of the flips. Model: shares x ~ Dirichlet(prior), and every
position draws its number of 1-bits from x. Then Psi given x is exactly multinomial with
probabilities A x. With prior 1 all incidence vectors Phi (all weak compositions of m into n + 1
counts) are equally likely: the model of paper 004, Appendix C.

The chains move through x by slice sampling along the difference of two other chains. That
difference follows the shape of the posterior, even in directions that the data hardly determine.
One half of the chains moves while the other half stays, so that a move never depends on itself.
Given x, the true counts behind each Psi_i are multinomial. Sums of draws of them are draws of Phi;
sums of their means give an estimate with less variance.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats
from .likelihood import em

# Numbers of Markov chains, and of moves of each chain, per count (there are n + 1 counts), with
# their minima; the first half of the moves is dropped. BATCHES: parts of the moves whose means give
# the Monte Carlo error.
CHAINS_EACH = 4
FEWEST_CHAINS = 64
MOVES_EACH = 30
FEWEST_MOVES = 200
BATCHES = 10
# True counts are drawn once in this number of moves, because a chain hardly changes in between.
THIN = 4

# least share of positions in a Markov chain, because a share of exactly 0 would never change
MIN_SHARE = 1e-15


@dataclass(frozen=True, slots=True)
class Posterior:
    """The posterior of the numbers of positions set in exactly t of n bit vectors, t = 0 .. n.

    It is conditional on the same numbers after the bits were flipped at random, and is sampled by
    Markov chains.

    Attributes:
        mean: posterior mean of each number, shape (n + 1,).
        draws: draws of all n + 1 numbers, shape (draws, n + 1), dependent within a chain.
        error: largest Monte Carlo standard error among the means, in positions.
    """

    mean: Floats
    draws: Counts
    error: float

    def band(self, beta: float) -> tuple[Floats, Floats]:
        """Return limits that hold all n + 1 counts with posterior probability >= 1 - beta.

        An equal number of draws is cut off at both ends of every count, so that a share of 1 - beta
        of the draws lies within all limits.
        """
        ordered = np.sort(self.draws, axis=0)
        columns = list(zip(ordered.T, self.draws.T, strict=True))
        below = np.stack([np.searchsorted(o, d, side="right") for o, d in columns], axis=1)
        above = np.stack([len(o) - np.searchsorted(o, d) for o, d in columns], axis=1)
        outermost = np.sort(np.minimum(below, above).min(axis=1))
        tail = int(outermost[int(beta * len(ordered))]) - 1
        return ordered[tail].astype(float), ordered[-1 - tail].astype(float)


def as_prior(prior: npt.ArrayLike, k: int) -> Floats:
    """Return a positive Dirichlet parameter for each of k counts, checked.

    prior: a parameter for each count, or one number for all k.
    """
    array = np.asarray(prior, dtype=np.float64)
    if array.ndim > 1 or array.size not in (1, k) or not (array > 0).all():
        raise ParameterError(
            f"prior: found {array.tolist()!r}; needs one positive number, or one for each of the "
            f"{k} counts"
        )
    return np.broadcast_to(array.reshape(-1), (k,)) if array.size == 1 else array


def posterior(psi: Counts, A: Floats, prior: Floats, rng: np.random.Generator) -> Posterior:
    """Sample the posterior of the true incidence vector given one noisy incidence vector.

    An incidence vector holds, for t = 0 .. n, the number of positions set in exactly t of n bit
    vectors.

    Args:
        psi: noisy incidence vector, shape (n + 1,).
        A: transition matrix of the noise.
        prior: Dirichlet parameters, shape (n + 1,).
        rng: generator.
    """
    return posteriors(psi[None], A, prior, rng)[0]


def posteriors(psis: Counts, A: Floats, prior: Floats, rng: np.random.Generator) -> list[Posterior]:
    """Sample the posterior of each true incidence vector given its noisy version, in one array.

    An incidence vector holds, for t = 0 .. n, the number of positions set in exactly t of n bit
    vectors. All Markov chains move in one array operation, but a move uses only chains of the same
    vector.

    psis: noisy incidence vectors, shape (r, n + 1). A: transition matrix of the noise. prior:
    Dirichlet parameters, shape (n + 1,).
    """
    r, k = psis.shape
    # shape: noisy vectors, chains, counts
    chains = np.stack([_start(psi, A, prior, rng) for psi in psis])
    chain_count = chains.shape[1]
    half = chain_count // 2
    moves = max(FEWEST_MOVES, MOVES_EACH * k)
    means, draws = [], []
    for move in range(moves):
        for mine, partner_chains in (
            (slice(half), slice(half, None)),
            (slice(half, None), slice(half)),
        ):
            chains[:, mine] = _slide(
                chains[:, mine], chains[:, partner_chains], psis, A, prior, rng
            )
        if move >= moves // 2 and move % THIN == 0:
            true_given_observed = _true_counts_given(chains.reshape(-1, k), A).reshape(
                r, chain_count, k, k
            )
            means.append(np.einsum("ri,rcij->rj", psis, true_given_observed) / chain_count)
            observed = np.broadcast_to(psis[:, None], (r, chain_count, k))
            draws.append(rng.multinomial(observed, true_given_observed).sum(axis=2))
    phi, true_counts = np.array(means), np.concatenate(draws, axis=1)
    return [
        Posterior(phi[:, i].mean(axis=0), true_counts[i].astype(np.int64), _error(phi[:, i]))
        for i in range(r)
    ]


def _error(means: Floats) -> float:
    """Return the largest Monte Carlo standard error, over the counts, of the chains' mean.

    means: mean over the Markov chains after each move, divided into batches to estimate the error.
    """
    batches = [np.mean(part, axis=0) for part in np.array_split(means, BATCHES)]
    return float(np.std(batches, axis=0, ddof=1).max() / np.sqrt(BATCHES))


def _start(psi: Counts, A: Floats, prior: Floats, rng: np.random.Generator) -> Floats:
    """Return starting points of the Markov chains, shape (chains, n + 1), near the EM fit.

    A point is the shares of positions with t = 0 .. n true 1-bits. The points are spread by a few
    rounds of drawing true counts given shares, and shares given counts.

    psi: noisy numbers of positions set in exactly t of n vectors. A: transition matrix of the
    noise. prior: Dirichlet parameters of the shares.
    """
    k, m = len(psi), int(psi.sum())
    chains = np.tile(
        em(psi / m, A, m, stop=1.0, steps=1000).shares, (max(FEWEST_CHAINS, CHAINS_EACH * k), 1)
    )
    chains = 0.9 * chains + 0.1 / k
    for _ in range(10):
        counts = _counts(psi, _true_counts_given(chains, A), rng)
        chains = _inside(rng.standard_gamma(prior + counts))
    return chains


def _true_counts_given(chains: Floats, A: Floats) -> Floats:
    """Return the probability of j true 1-bits at a position that shows i, for each Markov chain.

    The shape is (chains, i, j).

    chains: in each row, the shares of positions with j = 0 .. n true 1-bits. A: transition matrix
    of the noise; A[i, j] is the probability that j true 1-bits show as i.
    """
    weights = A[None] * chains[:, None, :]
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))


def _counts(psi: Counts, true_given_observed: Floats, rng: np.random.Generator) -> Counts:
    """Draw the true counts behind the noisy counts psi for each chain, shape (chains, n + 1).

    true_given_observed: probability of j true 1-bits at a position that shows i, shape (chains, i,
    j).
    """
    drawn_counts = rng.multinomial(
        np.broadcast_to(psi, true_given_observed.shape[:2]), true_given_observed
    )
    return np.asarray(drawn_counts.sum(axis=1), dtype=np.int64)


def _inside(x: Floats) -> Floats:
    """Return each row of x scaled to shares that sum to 1, each at least about `MIN_SHARE`."""
    inside = np.maximum(x, MIN_SHARE * x.sum(axis=1, keepdims=True))
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))


def _density(x: Floats, observed_shares: Floats, psi: Floats, prior: Floats) -> Floats:
    """Return the log posterior density at each row of shares x, up to a constant; -inf outside.

    Args:
        x: in each row, the share of bit positions set in exactly t = 0 .. n of the n true vectors.
        observed_shares: for each row of x, the expected shares of positions set in exactly t of the
            noisy vectors.
        psi: in each row, the number of positions set in exactly t of the noisy vectors.
        prior: Dirichlet parameters of the true shares.
    """
    inside = np.asarray(np.minimum(x.min(axis=1), observed_shares.min(axis=1)) > 0)
    safe = np.where(inside[:, None], observed_shares, 1.0)
    value: Floats = np.einsum("ij,ij->i", np.log(safe), psi)
    if (prior != 1).any():
        value = value + np.log(np.where(inside[:, None], x, 1.0)) @ (prior - 1)
    return np.where(inside, value, -np.inf)


def _slide(
    chains: Floats,
    partner_chains: Floats,
    psis: Counts,
    A: Floats,
    prior: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Move each Markov chain once, by slice sampling along the difference of two other chains.

    A chain holds the shares of positions with 0 .. k - 1 true 1-bits.

    Args:
        chains: the chains to move, shape (r, c, k).
        partner_chains: the other half of each vector's chains, shape (r, d, k).
        psis: noisy counts of positions, shape (r, k).
        A: transition matrix of the noise.
        prior: Dirichlet parameters.
        rng: generator.
    """
    (r, chain_count, k), count = chains.shape, partner_chains.shape[1]
    rows = r * chain_count
    x, psi = chains.reshape(rows, k), np.repeat(psis, chain_count, axis=0).astype(np.float64)
    vector = np.repeat(np.arange(r), chain_count)
    first = rng.integers(count, size=rows)
    second = (first + rng.integers(1, count, size=rows)) % count
    direction = partner_chains[vector, first] - partner_chains[vector, second]
    observed_shares, change = x @ A.T, direction @ A.T
    low, high = _reach(x, direction)
    level = _density(x, observed_shares, psi, prior) - rng.standard_exponential(rows)
    moved = np.zeros(rows)
    open_rows = np.arange(rows)
    # each refused proposal shrinks the interval towards the current point, which is always accepted
    for _ in range(200):
        at = rng.uniform(low[open_rows], high[open_rows])
        proposal = x[open_rows] + at[:, None] * direction[open_rows]
        proposed_shares = observed_shares[open_rows] + at[:, None] * change[open_rows]
        height = _density(proposal, proposed_shares, psi[open_rows], prior) - level[open_rows]
        accepted, refused = np.flatnonzero(height >= 0), np.flatnonzero(height < 0)
        moved[open_rows[accepted]] = at[accepted]
        open_rows, at = open_rows[refused], at[refused]
        if not len(open_rows):
            break
        low[open_rows] = np.where(at < 0, at, low[open_rows])
        high[open_rows] = np.where(at < 0, high[open_rows], at)
    return _inside(x + moved[:, None] * direction).reshape(chains.shape)


def _reach(x: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Return the least and largest t for which x + t direction stays in the simplex, for each row.

    x: shares, each row at least 0 with sum 1. direction: in each row, a change of shares with sum
    0. The result is 0 and 0 for a row without finite limits.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = -x / direction
    low = np.where(direction > 0, limits, -np.inf).max(axis=1)
    high = np.where(direction < 0, limits, np.inf).min(axis=1)
    bounded = np.isfinite(low) & np.isfinite(high)
    return np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
