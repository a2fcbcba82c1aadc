"""An upper bound of delta after shuffling that is met by a crowd of one value, whatever it has.

n people report, one of whom has u or v; x is the value of another, P_x the law of its report. Let b
be a law with P_x >= s b for every x, Q_x = (P_x - s b) / (1 - s) and d = P_u - e^eps P_v. Then

    delta <= (1/n) max over populations of E[(X_1 + ... + X_n)_+] + (1 - s)^n            (1)

where n_x of the X_i are d(Y)/Q_x(Y), Y ~ Q_x, and the rest d(Y)/b(Y), Y ~ b.

    Proof. Each of the others is in the pool with probability s, and reports by b; else it has the
    label x and reports by Q_x: together P_x. Tell the attacker all labels, the pool's too. The
    doubted person takes a label as well, which says nothing of its report; how, we may choose. Let
    H(w) be the generating function of the others' labels (w_0 of the pool, w_x of the values), a
    product of n - 1 factors s w_0 + (1 - s) w_x, and

        g(w) = n int_{-s w_0}^0 H(w + t 1) dt,   (1/n) sum over all labels of dg/dw = H(w) - r,

    r = (1 - s)^n prod w_x. All coefficients of g are positive. So g is a law of the labels of n
    people, of whom any is as likely to be the doubted one as any other, and whose others have just
    the labels of H, but for a part (1 - s)^n. Given the labels, reports of one label are alike: the
    likelihood of u less e^eps that of v is the mean of the X_i.  []

All X_i have the mean 1 - e^eps: they differ in spread. To compare populations, add to the sum one
Laplace variable G of scale 1/L, which raises E[( )_+] (Jensen). The density of the other n - 1
terms with G, h, then changes by at most e^(L |c - c'|) from c to c', and replacing X by X* adds

    int h(c) D(c) dc,   D(c) = E[(X* - c)_+] - E[(X - c)_+].

If this is never negative for such h, one may replace all of them (Lindeberg's exchange):

    delta <= (1/n) E[(X*_1 + ... + X*_n + G)_+] + (1 - s)^n                              (2)

Sufficient, for some c_0: int D_+ e^(-L |c - c_0|) >= int D_- e^(L |c - c_0|). X* is the X_x of
largest spread, widened about its mean by as little as makes that so. G and the pool add about
2 / (L^2 n) and s to the variance of one term: nothing in a large crowd, so (2) comes down to the
delta of others who all have the value x, which is a lower bound. The result is ours; the exchange
of terms is Lindeberg's, the pool a privacy blanket (Balle, Bell, Gascon, Nissim, 2019) as thin as
can be.
"""

from math import exp, inf, log, log1p, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .iid_sums import at_most
from .pair_bounds import FINE

Law = tuple[Floats, Floats]  # atoms and their probabilities

# Part of a known bound that the case in which nobody is in the pool may add, and tries to find it.
RARE, TRIES = 1e-6, 3
# The pool is at most this part of the blanket, so that every Q_x keeps P_x's support.
POOL = 0.5
# How much wider than the widest X_x the common law may be made.
WIDER = (0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1)
# Share of the variance that G costs at first, the factor from one L to the next, and how many.
SMOOTH, FLATTER, SCALES = 5e-4, 1.4, 16
# Points c_0 that are tried, and nodes of quadrature in a piece on which D is straight.
CENTRES, NODES = 25, 8
# What rounding may take from D, as a part of the widest term.
ROUNDING = 1e-12


def any_others_delta(case: Neighbours, n: int, epsilon: float, known: float) -> float:
    """An upper bound of delta for a pair of values among n reports, others of any values.

    Args:
        case: the blanket and the pairs of all values of the others; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        known: an upper bound, > 0: what is far below it costs nothing.

    Returns:
        (2); infinite where the values of the others are not all known or no L is steep enough.
    """
    blanket, pairs = case
    if not pairs or any(pair.shared is None for pair in pairs):
        return inf
    least = inf
    for _ in range(TRIES):
        share = min(-log(RARE * min(known, 1.0)) / n, POOL * blanket.weight)
        rare = exp(n * log1p(-share))
        least = min(least, _exchanged(_terms(case, epsilon, share), n) + rare)
        if not least < known * sqrt(RARE):
            break
        known = least
    return least


def _terms(case: Neighbours, epsilon: float, share: float) -> list[Law]:
    """The laws of d / Q_x for every value x of another person, and of d / b."""
    blanket, pairs = case
    laws = []
    for pair in pairs:
        left = (1 - share * np.asarray(pair.shared)) / (1 - share)
        for own, other in ((pair.own, pair.other), (pair.other, pair.own)):
            laws.append(((own - exp(epsilon) * other) / left, pair.law * left))
    for own, other in ((blanket.own, blanket.other), (blanket.other, blanket.own)):
        laws.append((own - exp(epsilon) * other, blanket.law))
    return laws


def _exchanged(laws: list[Law], n: int) -> float:
    """(1/n) E[(sum of n of one common law, and G)_+]; infinite where none was found."""
    best, cost = None, inf
    widest = max(laws, key=_variance)
    for wider in WIDER:
        if wider >= cost:
            break
        star = _spread(widest, wider)
        sharp = _sharpness(star, laws, n)
        if sharp is not None and (dear := wider + 1 / (sharp**2 * n * _variance(star))) < cost:
            best, cost = (star, sharp), dear
    if best is None:
        return inf
    return at_most(*best[0], n, FINE, best[1]) / n


def _variance(law: Law) -> float:
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 2)


def _spread(law: Law, wider: float) -> Law:
    atoms, weights = law
    mean = weights @ atoms
    return mean + (1 + wider) * (atoms - mean), weights


def _sharpness(star: Law, laws: list[Law], n: int) -> float | None:
    """The largest L looked at with which every law may be replaced by `star`."""
    first = 1 / sqrt(SMOOTH * n * _variance(star))
    gains = [gain for law in laws if (gain := _gain(star, law)) is not None]
    for i in range(SCALES):
        sharp = first / FLATTER**i
        if all(_never_negative(*gain, sharp) for gain in gains):
            return sharp
    return None


def _gain(star: Law, law: Law) -> tuple[Floats, Floats] | None:
    """D at the points between which it is straight: atoms, zeros, some c_0; None: the same law."""
    atoms = np.unique(np.concatenate([star[0], law[0]]))
    above, below = (np.maximum(side[0] - atoms[:, None], 0) @ side[1] for side in (star, law))
    D, error = above - below, ROUNDING * float(np.abs(atoms).max())
    if np.abs(D).max() <= error:
        return None
    D -= error
    change = np.flatnonzero(D[:-1] * D[1:] < 0)
    zeros = atoms[change] - D[change] * np.diff(atoms)[change] / np.diff(D)[change]
    knots = np.unique(np.concatenate([atoms, zeros, np.linspace(atoms[0], atoms[-1], CENTRES)]))
    return knots, np.interp(knots, atoms, D)


def _never_negative(knots: Floats, D: Floats, sharp: float) -> bool:
    """Whether the integral of h D cannot be negative, for every h that falls or rises by e^L."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(knots)[:, None] / 2
    c = ((knots[:-1] + knots[1:])[:, None] / 2 + half * nodes).ravel()
    gain = np.interp(c, knots, D) * (half * weights).ravel()
    centres = np.linspace(knots[0], knots[-1], CENTRES)
    away = np.minimum(sharp * np.abs(c - centres[:, None]), 600.0)
    signs = np.where(gain > 0, -away, away)
    return bool((np.exp(signs) @ gain).max() >= 0)
