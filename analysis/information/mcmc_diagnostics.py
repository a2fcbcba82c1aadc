"""Convergence of Markov chains: split R-hat and the effective number of independent draws.

Gelman et al., Bayesian Data Analysis (3rd ed.), 11.4 and 11.5: chains are cut in halves, so that a
drifting chain disagrees with itself; autocorrelations are added up in pairs until a pair is
negative (Geyer).
"""

import numpy as np

from ..validation import Floats


def split_rhat(chains: Floats) -> Floats:
    """Return split R-hat of each quantity, shape (quantities,).

    Close to 1 for chains that have mixed.

    Args:
        chains: shape (chains, draws, quantities), at least 4 draws.
    """
    halves = _halves(chains)
    within_chains, total = _variances(halves)
    return np.asarray(np.sqrt(total / np.maximum(within_chains, 1e-300)))


def effective_size(chains: Floats) -> Floats:
    """Return the number of independent draws with the same precision of each quantity's mean.

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
    """Cut each chain into its first and last half, as chains of their own."""
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _variances(chains: Floats) -> tuple[Floats, Floats]:
    """Return the mean variance within chains, and the variance estimated from all chains."""
    n = chains.shape[1]
    within_chains = chains.var(axis=1, ddof=1).mean(axis=0)
    between_chains = chains.mean(axis=1).var(axis=0, ddof=1)
    return within_chains, within_chains * (n - 1) / n + between_chains


def _autocovariance(chains: Floats) -> Floats:
    """Return the autocovariances by chain and lag, shape (chains, draws, quantities), by FFT."""
    n = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    return np.asarray(np.fft.irfft(power, 2 * n, axis=1)[:, :n] / (n - 1))
