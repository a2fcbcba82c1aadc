"""Convergence of Markov chains: split R-hat and the effective number of independent draws.

Gelman et al., Bayesian Data Analysis (3rd ed.), 11.4 and 11.5. Chains are cut in halves, so that a
drifting chain disagrees with itself. Autocorrelations are added up in pairs of successive lags,
until the sum of a pair is negative (Geyer's rule).
"""

import numpy as np

from ..validation import Floats


def split_rhat(chains: Floats) -> Floats:
    """Return split R-hat of each quantity, shape (quantities,); about 1 if the chains have mixed.

    R-hat is the square root of a ratio: the variance estimated from all half-chains together, over
    the mean variance within a half-chain.

    Args:
        chains: shape (chains, draws, quantities), at least 4 draws.
    """
    halves = _halves(chains)
    within_chains, total = _variances(halves)
    return np.asarray(np.sqrt(total / np.maximum(within_chains, 1e-300)))


def effective_size(chains: Floats) -> Floats:
    """Return the effective sample size of each quantity, shape (quantities,).

    It is the number of independent draws that give a mean as precise as that of the chains.

    Args:
        chains: shape (chains, draws, quantities), at least 4 draws.
    """
    halves = _halves(chains)
    m, n, _ = halves.shape
    within_chains, total = _variances(halves)
    rho = 1 - (within_chains - _autocovariance(halves).mean(axis=0)) / np.maximum(total, 1e-300)
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(n // 2, 2, -1).sum(axis=1)
    positive = np.cumprod(pairs > 0, axis=0)
    pairs = np.minimum.accumulate(np.maximum(pairs, 0), axis=0) * positive
    return np.asarray(np.minimum(m * n / np.maximum(2 * pairs.sum(axis=0) - 1, 1e-9), m * n * 1.0))


def _halves(chains: Floats) -> Floats:
    """Return the first and the last half of each chain, as chains of their own.

    Shape (2 chains, draws / 2, quantities).
    """
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _variances(chains: Floats) -> tuple[Floats, Floats]:
    """Return the mean variance within chains, and the variance over all chains, per quantity."""
    n = chains.shape[1]
    within_chains = chains.var(axis=1, ddof=1).mean(axis=0)
    between_chains = chains.mean(axis=1).var(axis=0, ddof=1)
    return within_chains, within_chains * (n - 1) / n + between_chains


def _autocovariance(chains: Floats) -> Floats:
    """Return the autocovariance of each chain and quantity at each lag, computed by FFT.

    Shape (chains, lags, quantities), lags 0 to draws - 1.
    """
    n = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    return np.asarray(np.fft.irfft(power, 2 * n, axis=1)[:, :n] / (n - 1))
