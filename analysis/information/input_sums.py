"""H(T) and I(X; P) for any number of people n, from sums of fixed length.

X are the values of n people, P ~ Dirichlet(alpha) their distribution, T the counts of each value.
T_x, the number of people with the value x, is beta-binomial: n people, parameters alpha_x and A -
alpha_x with A = sum alpha. With G = log Gamma and the digamma function psi,

    H(T)    = r(n, A) - G(A) - sum_x E[r(T_x, alpha_x) - G(alpha_x)],  r(k, c) = G(k + c) - G(k + 1)
    I(X; P) = h(n, A) - G(A) - sum_x E[h(T_x, alpha_x) - G(alpha_x)],
                                                       h(k, c) = G(k + c) - k psi(k + c) + k + c

because E[log P_x | T] = psi(alpha_x + T_x) - psi(A + n). Neither r nor h grows faster than log k.
From k = `FAR` on they are computed by Stirling's series. So no terms of size n log n are
subtracted, which at n = 10^9 would leave five digits.

A mean over T_x is a sum of n + 1 terms. The sum is cut into pieces within which the probabilities
are smooth: at powers of two from both ends, and at every half standard deviation around the mean.
In each piece a Gauss rule for consecutive integers (zeros of the discrete Chebyshev polynomials)
replaces all its terms.
"""

from math import log, pi, sqrt

import numpy as np

from ..validation import Floats

# From this argument on, the first terms of Stirling's series are exact in float64.
FAR = 32.0
# Sums with fewer terms are added up term by term.
MAX_TERMS = 4096
# Nodes of the Gauss rule that replaces each piece of a long sum. Near the mean a piece is half a
# standard deviation long, up to DEVIATIONS pieces on either side.
NODES, DEVIATIONS = 24, 40


def input_information(prior: Floats, n: int) -> tuple[float, float]:
    """Return the entropy of people's tallies, and the information in their values, in nats.

    The tallies T count the people with each value. The information in all n values X is about the
    distribution P ~ Dirichlet(prior) from which they are drawn.
    """
    from scipy.special import gammaln

    total, people = float(prior.sum()), np.array([float(n)])
    tallies = float(ratio(people, total)[0] - gammaln(total))
    leakage = float(shape(people, total)[0] - gammaln(total))
    for alpha, copies in zip(*np.unique(prior, return_counts=True), strict=True):
        k, chance = beta_binomial(n, float(alpha), total - float(alpha))
        tallies -= copies * float(chance @ (ratio(k, alpha) - gammaln(alpha)))
        leakage -= copies * float(chance @ (shape(k, alpha) - gammaln(alpha)))
    return max(0.0, tallies), max(0.0, leakage)


def beta_binomial(n: int, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Return points from 0 to n and weights that sum to 1, for means over a beta-binomial.

    The parameters are n, alpha and beta. For large n the points are far fewer than n + 1: a Gauss
    rule replaces each piece of the sum.
    """
    k, terms = _points(n, alpha, beta)
    logs = ratio(k, alpha) + ratio(n - k, beta)
    chance = terms * np.exp(logs - logs.max())
    return k, chance / chance.sum()


def ratio(k: Floats, c: float) -> Floats:
    """Return r(k, c) = log Gamma(k + c) - log Gamma(k + 1), k >= 0, c > 0.

    It is a term of the entropy of people's tallies: k is a tally, c a Dirichlet parameter. Large k
    have full accuracy too, by Stirling's series.
    """
    from scipy.special import gammaln

    large = np.maximum(k, FAR)
    steep = (large + 0.5) * np.log1p((c - 1) / (large + 1)) + (c - 1) * (np.log(large + c) - 1)
    series = steep + _stirling(large + c) - _stirling(large + 1)
    return np.where(k >= FAR, series, gammaln(np.minimum(k, FAR) + c) - gammaln(k + 1))


def shape(k: Floats, c: float) -> Floats:
    """Return h(k, c) = log Gamma(k + c) - k psi(k + c) + k + c, with psi the digamma function.

    It is a term of the information in people's values about their distribution: k >= 0 is the
    number of people with a value, c > 0 the Dirichlet parameter of the value. Large k have full
    accuracy too, by Stirling's series.
    """
    from scipy.special import digamma, gammaln

    x = np.maximum(k, FAR) + c
    inverse = 1 / (x * x)
    rest = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    k_far = x - c
    series = (c - 0.5) * np.log(x) + 0.5 * log(2 * pi) + _stirling(x) + k_far / (2 * x)
    small = np.minimum(k, FAR) + c
    exact = gammaln(small) - np.minimum(k, FAR) * digamma(small) + small
    return np.where(k >= FAR, series + k_far * rest, exact)


def _stirling(x: Floats) -> Floats:
    """Return the remainder of Stirling's formula for log Gamma(x), x >= FAR.

    The remainder is log Gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2).
    """
    inverse = 1 / (x * x)
    return np.asarray((1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / x)


def _points(n: int, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Return points of 0 .. n for a beta-binomial mean, and the number of terms each stands for.

    alpha, beta: parameters of the beta-binomial distribution.
    """
    if n < MAX_TERMS:
        k = np.arange(n + 1.0)
        return k, np.ones(len(k))
    total = alpha + beta
    mean, deviation = n * alpha / total, sqrt(n * alpha * beta * (total + n) / (total + 1)) / total
    powers = 2.0 ** np.arange(n.bit_length())
    around = mean + deviation * np.arange(-DEVIATIONS, DEVIATIONS + 1) / 2
    cuts = np.concatenate([[0.0, n + 1.0], powers, n + 1 - powers, np.rint(around)])
    cuts = np.unique(cuts[(cuts >= 0) & (cuts <= n + 1)])
    return gauss_sums(cuts[:-1], np.diff(cuts))


def gauss_sums(first: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights for sums over whole numbers first .. first + length - 1, by piece.

    The sums are exact for polynomials of degree 2 NODES - 1; all terms of a piece with at most
    NODES terms are nodes.

    first, length: first term and number of terms of each piece.
    """
    short = length <= NODES
    listed = [np.arange(a, a + n) for a, n in zip(first[short], length[short], strict=True)]
    long, start = length[~short][:, None], first[~short][:, None]
    j = np.arange(1.0, NODES)
    # The eigenvalues of the Jacobi matrix of the discrete Chebyshev polynomials, in units of the
    # length of the piece, are the nodes of the Gauss rule.
    off = np.sqrt((1 - (j / long) ** 2) / (4 * (4 - 1 / (j * j))))
    matrix = np.zeros((len(long), NODES, NODES))
    places = np.arange(NODES - 1)
    matrix[:, places, places + 1] = matrix[:, places + 1, places] = off
    roots, vectors = np.linalg.eigh(matrix)
    nodes = start + (long - 1) / 2 + long * roots
    weights = long * vectors[:, 0, :] ** 2
    singles = np.concatenate([*listed, np.empty(0)])
    return (
        np.concatenate([singles, nodes.ravel()]),
        np.concatenate([np.ones(len(singles)), weights.ravel()]),
    )
