"""An upper bound of delta after shuffling that is sharp for crowds of a single value.

n people report, among them the doubted person with u or v; x is the value of another person, P_x
the law of its report. Let b be a law with P_x >= s b for every x, Q_x = (P_x - s b) / (1 - s) and
d = P_u - e^eps P_v. Then

    delta <= (1/n) max over populations of E[(X_1 + ... + X_n)_+] + (1 - s)^n D          (1)

with n_x of the X_i equal to d(Y)/Q_x(Y), Y ~ Q_x, and the rest d(Y)/b(Y), Y ~ b; D bounds delta
among people that report by some Q_x each: 1, or the bound of the blanket which these laws share.

    Proof. Each other person is in the pool with probability s, and reports by b; else it has the
    label x and reports by Q_x: together P_x. Reveal all labels to the attacker, the pool's too. The
    doubted person takes a label as well, independent of its report; we may choose its law. Let
    H(w) be the generating function of the other people's labels (w_0 of the pool, w_x of the
    values), a product of n - 1 factors s w_0 + (1 - s) w_x, and

        g(w) = n int_{-s w_0}^0 H(w + t 1) dt,   (1/n) sum over all labels of dg/dw = H(w) - r,

    r = (1 - s)^n prod w_x. All coefficients of g are positive. So g is a law of the labels of n
    people such that each is equally likely to be the doubted person, and the other labels have the
    law H, except for a part (1 - s)^n with an empty pool; there the labels are not revealed, and
    the delta is at most D. In the main part: given the labels, reports with one label are
    exchangeable: the likelihood of u less e^eps that of v is the mean of the X_i.  []

All X_i have the mean 1 - e^eps: they differ in spread. To compare populations, add to the sum one
Laplace variable G of scale 1/L, which raises E[( )_+] (Jensen). The density of the other n - 1
terms with G, h, then changes by at most e^(L |c - c'|) from c to c', and replacing X by X* adds

    int h(c) D(c) dc,   D(c) = E[(X* - c)_+] - E[(X - c)_+].

If this is never negative for such h, all of them may be replaced (Lindeberg's exchange):

    delta <= (1/n) E[(X*_1 + ... + X*_n + G)_+] + (1 - s)^n D                            (2)

Sufficient, for some c_0: int D_+ e^(-L |c - c_0|) >= int D_- e^(L |c - c_0|). X* is the X_x of
largest spread, widened about its mean by the least amount that makes that so. Besides spread, a
steep h depends on the lean (third moment): if widening is costly, X* has a share of an X_x that
leans, made equally wide, and the widest and the leaning law share the difference. G and the pool
add about 2 / (L^2 n) and s to the variance of one term: negligible in a large crowd, so (2) comes
down to the delta of people that all have the value x, which is a lower bound. The result is new
here; the exchange of terms is Lindeberg's, the pool a privacy blanket (Balle, Bell, Gascon,
Nissim, 2019), as thin as possible. b is the blanket's law, or more of it where |d| is least, which
costs the Q_x less.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, log1p, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours, PairLaw
from ..validation import Floats
from .iid_sums import at_most
from .pair_bounds import FINE, max_delta

Law = tuple[Floats, Floats]  # atoms and their probabilities

# The pool are the people that report by the common law b. Largest share of a bound that an empty
# pool may cost; expected people in the pool at the first try; number of tries.
RARE, POOLED, TRIES = 0.005, 2.0, 4
# People added to the pool (reports by the common law) beyond the least number that a try needs: a
# thinner privacy blanket hides less.
MARGIN = 0.1
# The pool (reports by the common law) is at most this part of the privacy blanket: so the remaining
# law Q_x of each value x can give every report that its law P_x can give.
POOL = 0.5
# Shares by which the common term X*, which replaces the terms of all people, may be wider than the
# widest term of a value.
WIDER = (0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1)
# If widening the common term X* costs more than the share DEAR of the bound, its law is mixed with
# these shares of a skewed law.
DEAR, LEANING = 4e-3, (0.1, 0.2, 0.25, 0.3, 0.35, 0.4)
# Search for the rate L of the Laplace variable G that smooths the sum: share of the variance that G
# costs at first, factor from one L to the next, number of L, and halvings of the last step.
SMOOTH, FLATTER, SCALES, HALVINGS = 5e-4, 1.4, 16, 6
# Number of centres c_0 to try in the test whether a term may be replaced, and of quadrature nodes
# in an interval on which the gain D of the replacement is linear.
CENTRES, NODES = 25, 8
# Relative difference below which two numbers are equal.
TIED = 1e-9
# Rounding error of the gain D of replacing a term, as a part of the widest term; the part of this
# error by which D may be below 0 and still count as 0, which is added to the bound.
ROUNDING, SLIGHT = 1e-12, 0.01


def any_others_delta(case: Neighbours, n: int, epsilon: float, known_bound: float) -> float:
    """Return an upper bound of delta for two values u and v among n reports; populations unknown.

    Args:
        case: the privacy blanket (the known part of other people's reports), and the pairs of all
            other people's values; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        known_bound: an upper bound, > 0: an error far below it is acceptable.

    Returns:
        (2); infinite if other people's values are not all known, if a value excludes a report, if
        no L is steep enough, or if an empty pool alone costs `known_bound`.
    """
    if (labels := labelled(case, n, epsilon, known_bound)) is None:
        return inf
    if labels.rare >= known_bound:
        return inf
    highest = _exchanged(labels.laws, n) + labels.rare
    for _ in range(TRIES - 1):
        if labels.rare <= RARE * highest:
            break
        known_bound = min(known_bound, highest)
        labels = labelled(case, n, epsilon, known_bound) or labels
        highest = min(highest, _exchanged(labels.laws, n) + labels.rare)
    return highest


@dataclass(frozen=True, slots=True, eq=False)
class BoundTerms:
    """The terms of an upper bound on delta, (1) of this module, which holds for every population.

    Reports are drawn from a common law b with probability s, else from Q_x, the remaining law of
    the value x; d is the difference P_u - e^eps P_v of the laws of the doubted person's values u
    and v.

    Attributes:
        values: the laws of d / Q_x for every value x of another person.
        pool: the laws of d / b, in both directions of the doubt (u against v, v against u).
        share: s, the probability of a report by the common law.
        rare: the part of delta from an empty pool (no report drawn from b).
    """

    values: list[Law]
    pool: list[Law]
    share: float
    rare: float

    @property
    def laws(self) -> list[Law]:
        """The laws of all terms, of values and of the pool."""
        return [*self.values, *self.pool]


def listed(case: Neighbours) -> bool:
    """Whether other people's values are all known, and no value excludes a report."""
    blanket, pairs = case
    has_blanket = blanket.weight > 0 and not blanket.bare.size
    return has_blanket and bool(pairs) and all(pair.shared is not None for pair in pairs)


def labelled(case: Neighbours, n: int, epsilon: float, upper_bound: float) -> BoundTerms | None:
    """Return the terms of bound (1) on delta; None if other people's values are not all known.

    Args:
        case: the privacy blanket (the known part of other people's reports), and the pairs of all
            other people's values; the doubted person's values u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        upper_bound: an upper bound of delta, > 0: s is such that the rest adds little to it.
    """
    if not listed(case):
        return None
    blanket, _ = case
    alone_delta = blanket.local_delta(epsilon)
    pool = _pool(case, epsilon)
    pooled_people, share, rare = POOLED, 0.0, alone_delta
    for _ in range(TRIES):
        share = min(pooled_people / n, POOL * blanket.weight / pool[1])
        thin = (blanket.weight - share * pool[1]) / (1 - share)
        hidden_delta = max_delta(
            PairLaw(thin, blanket.law, blanket.u_ratios, blanket.v_ratios), n, epsilon
        )
        rare = exp(n * log1p(-share)) * min(alone_delta, hidden_delta)
        if rare <= upper_bound * RARE:
            break
        pooled_people += log(rare / (upper_bound * RARE)) + MARGIN
    return BoundTerms(*_terms(case, epsilon, share, pool), share, rare)


def _pool(case: Neighbours, epsilon: float) -> tuple[float, float, float]:
    """Return the pool's law relative to the privacy blanket: limit of |d| / b, ratio below, above.

    The blanket b is the known part of other people's reports, d the difference of the doubted
    person's two laws of reports. The pool is the common law from which some reports are drawn.
    Relative to b, its law is the first ratio where |d| / b is at most the limit, else the second.
    The pool takes probability from other people's laws, least if it reports where the two values
    differ least, except for a share that keeps d / b no wider than the terms of values.
    """
    blanket, pairs = case
    u, v = blanket.u_ratios, exp(epsilon) * blanket.v_ratios
    gap, back = (
        np.abs(u - v),
        np.abs(blanket.v_ratios - exp(epsilon) * u),
    )
    equal_pairs = all(
        _shows_difference(pair, epsilon, float(blanket.law @ gap**2)) for pair in pairs
    )
    low = gap <= gap.min() * (1 + TIED)
    mass = float(blanket.law[low].sum())
    if not equal_pairs or mass >= 1 or not np.isclose(blanket.law @ back**2, blanket.law @ gap**2):
        return inf, 1.0, 1.0
    widest = max(
        float(pair.law @ (u - exp(epsilon) * v) ** 2)
        for pair in pairs
        for u, v in ((pair.u_ratios, pair.v_ratios), (pair.v_ratios, pair.u_ratios))
    )
    outside = min(1.0, 2 * float(blanket.law @ gap**2) / widest)
    return float(gap.min()) * (1 + TIED), outside + (1 - outside) / mass, outside


def _shows_difference(pair: PairLaw, epsilon: float, square: float) -> bool:
    """Whether a pair's outcomes show all of d / blanket; outcomes merged by their mean do not.

    d is the difference of the doubted person's two laws of reports, the blanket the known part of
    other people's reports. `square` is the mean square of d / blanket.
    """
    shared = np.asarray(pair.shared)
    if not shared.all():
        return False
    squares = (
        float((pair.law / shared) @ (u - exp(epsilon) * v) ** 2)
        for u, v in ((pair.u_ratios, pair.v_ratios), (pair.v_ratios, pair.u_ratios))
    )
    return bool(np.allclose(list(squares), square, rtol=1e-9, atol=0))


def _terms(
    case: Neighbours,
    epsilon: float,
    share: float,
    pool: tuple[float, float, float] = (inf, 1.0, 1.0),
) -> tuple[list[Law], list[Law]]:
    """Return the laws of d / Q_x for every value x of another person, and of d / b.

    d is the difference of the doubted person's two laws of reports; another person's report is
    drawn from the common law b (the pool) with probability `share`, else from Q_x. `pool` is as
    `_pool` returns it.
    """
    blanket, pairs = case
    floor, inside, outside = pool
    values = []
    for pair in pairs:
        shared = np.asarray(pair.shared)
        for u, v in ((pair.u_ratios, pair.v_ratios), (pair.v_ratios, pair.u_ratios)):
            d = u - exp(epsilon) * v
            more = np.where(np.abs(d) <= floor * shared, inside, outside)
            remaining_law = (1 - share * more * shared) / (1 - share)
            values.append((d / remaining_law, pair.law * remaining_law))
    laws = []
    for u, v in ((blanket.u_ratios, blanket.v_ratios), (blanket.v_ratios, blanket.u_ratios)):
        d = u - exp(epsilon) * v
        more = np.where(np.abs(d) <= floor, inside, outside)
        laws.append((d / more, blanket.law * more))
    return values, laws


def _exchanged(laws: list[Law], n: int) -> float:
    """Return bound (2) on delta: (1/n) E[(sum of n terms of a common law, and G)_+].

    Infinite if no common law is found for which these laws may be exchanged.
    """
    widest = max(laws, key=variance_of)
    cheapest = _cheapest(widest, laws, n, inf)
    cost = cheapest[0] if cheapest else inf
    for law in _crooked(widest, laws) if DEAR < cost < inf else ():
        for share in LEANING:  # larger shares are tried as long as they lower the cost
            cheaper = _cheapest(mixed_with(widest, law, share), laws, n, cost)
            if cheaper is None:
                break
            cheapest, cost = cheaper, cheaper[0]
    if cheapest is None:
        return inf
    slight = SLIGHT * ROUNDING * float(np.abs(cheapest[1][0]).max())
    return at_most(*cheapest[1], n, FINE, cheapest[2]) / n + slight


def _cheapest(law: Law, laws: list[Law], n: int, cost: float) -> tuple[float, Law, float] | None:
    """Return cost, X* and L of the best widening of a law below a cost; None without a widening.

    X* is the widened law, L the rate of the Laplace variable G. The cost is the share by which X*
    and G widen the deviation of the sum.
    """
    best, candidates = None, laws
    for wider in WIDER:
        if wider >= cost:
            break
        star = spread_by(law, wider)
        # A law that the common term may replace may also be replaced by each wider common term.
        candidates = [candidate for candidate in candidates if _gain(star, candidate) is not None]
        sharp = largest_sharpness(star, candidates, n)
        if sharp is not None and (dear := wider + 1 / (sharp**2 * n * variance_of(star))) < cost:
            best, cost = (dear, star, sharp), dear
    return best


def _crooked(widest: Law, laws: list[Law]) -> list[Law]:
    """Return the laws with the largest third moment to either side (the lean of a law).

    Empty if the widest law is among them.
    """
    third = [float(p @ (x - p @ x) ** 3) for x, p in laws]
    ends = [laws[int(np.argmax(third))], laws[int(np.argmin(third))]]
    return [] if any(law is widest for law in ends) else ends


def mixed_with(widest: Law, law: Law, share: float) -> Law:
    """Return the widest law mixed with a share of another law, which is scaled to equal width."""
    scaled = spread_by(law, sqrt(variance_of(widest) / variance_of(law)) - 1)
    atoms = np.concatenate([widest[0], scaled[0]])
    return atoms, np.concatenate([(1 - share) * widest[1], share * scaled[1]])


def variance_of(law: Law) -> float:
    """Return the variance of a law, given as atoms and probabilities."""
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 2)


def spread_by(law: Law, wider: float) -> Law:
    """Return a law widened about its mean by the share `wider`."""
    atoms, weights = law
    mean = weights @ atoms
    return mean + (1 + wider) * (atoms - mean), weights


def largest_sharpness(star: Law, laws: list[Law], n: int) -> float | None:
    """Return the largest L tried with which every law may be replaced by `star`; else None.

    1/L is the scale of the Laplace variable that smooths the sum of n terms.
    """
    first = 1 / sqrt(SMOOTH * n * variance_of(star))
    gains = [_pieces(*gain) for law in laws if (gain := _gain(star, law)) is not None]
    for i in range(SCALES):
        sharp = first / FLATTER**i
        failing = next((gain for gain in gains if not _never_negative(*gain, sharp)), None)
        if failing is None:
            return _sharper(gains, sharp) if i else sharp
        # A law that cannot be replaced at one smoothing rate usually fails at the next: test first.
        gains.sort(key=lambda gain: gain is not failing)
    return None


def _sharper(gains: list[tuple[Floats, Floats]], sharp: float) -> float:
    """Return a larger valid rate L, between a valid L and FLATTER times it, by halving.

    L is the rate of the Laplace variable that smooths the sum of terms; it is valid if every law
    may be exchanged for the common law.
    """
    low, high = 1.0, FLATTER
    for _ in range(HALVINGS):
        middle = sqrt(low * high)
        fits = all(_never_negative(*gain, sharp * middle) for gain in gains)
        low, high = (middle, high) if fits else (low, middle)
    return sharp * low


def _gain(star: Law, law: Law) -> tuple[Floats, Floats] | None:
    """Return points c, and at each the gain D(c) of replacing the term `law` by `star`.

    D(c) = E[(X* - c)_+] - E[(X - c)_+], with X* distributed as `star` and X as `law`. The points
    are atoms, zeros and some more; D is linear between them. None if D is nowhere below 0.
    """
    atoms = np.unique(np.concatenate([star[0], law[0]]))
    above, below = (np.maximum(side[0] - atoms[:, None], 0) @ side[1] for side in (star, law))
    D, error = above - below, ROUNDING * float(np.abs(atoms).max())
    if D.min() >= -error * SLIGHT:
        return None
    D -= error
    change = np.flatnonzero(D[:-1] * D[1:] < 0)
    zeros = atoms[change] - D[change] * np.diff(atoms)[change] / np.diff(D)[change]
    knots = np.unique(np.concatenate([atoms, zeros, np.linspace(atoms[0], atoms[-1], CENTRES)]))
    return knots, np.interp(knots, atoms, D)


def _pieces(knots: Floats, D: Floats) -> tuple[Floats, Floats]:
    """Return |c - c_0| for every centre c_0 and quadrature node c, and weights times D.

    D(c) is the gain of replacing a term by a wider one if the other terms sum to -c; the test of
    the
    exchange weighs the gains by their distance from a centre. Shapes (centres, nodes), (nodes,).
    """
    nodes, weights = _quadrature()
    half = np.diff(knots)[:, None] / 2
    c = ((knots[:-1] + knots[1:])[:, None] / 2 + half * nodes).ravel()
    centres = np.linspace(knots[0], knots[-1], CENTRES)
    return np.abs(c - centres[:, None]), np.interp(c, knots, D) * (half * weights).ravel()


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss-Legendre quadrature on [-1, 1]."""
    return np.polynomial.legendre.leggauss(NODES)


def _never_negative(gap: Floats, gain: Floats, sharp: float) -> bool:
    """Whether the integral of h D cannot be negative for any density h that changes by at most e^L.

    D is the gain of exchanging a term for a wider one, h the density of the other terms' sum. `gap`
    and `gain` are as `_pieces` returns them, `sharp` is L.
    """
    exponents = np.minimum(sharp * gap, 600.0)
    return bool((np.exp(np.where(gain > 0, -exponents, exponents)) @ gain).max() >= 0)
