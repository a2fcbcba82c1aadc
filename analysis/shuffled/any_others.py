"""An upper bound of delta after shuffling that is nearly exact if other people have one value.

n people report. The attacked person has value u or v. Another person with value x reports by the
distribution P_x. Let b be a distribution with P_x >= s b for every x. Then each other person is in
the pool with probability s and reports by b. Otherwise the person has the label x and reports by
Q_x = (P_x - s b) / (1 - s). With d = P_u - e^eps P_v,

    delta <= (1/n) max over n_x of E[(X_1 + ... + X_n)_+] + (1 - s)^n D                  (1)

For each x, n_x of the terms X_i are d(Y)/Q_x(Y) with Y ~ Q_x. The remaining terms, of the pool,
are d(Y)/b(Y) with Y ~ b. D bounds delta if the pool is empty: it is 1, or the bound of the privacy
blanket that the Q_x share.

    Proof. Reveal all labels to the attacker, including the pool's. Give the attacked person a
    label too, independent of the report; its distribution is free. Let H(w) be the generating
    function of the other people's labels (w_0 of the pool, w_x of the values), a product of n - 1
    factors s w_0 + (1 - s) w_x, and

        g(w) = n int_{-s w_0}^0 H(w + t 1) dt,   (1/n) sum over all labels of dg/dw = H(w) - r,

    r = (1 - s)^n prod w_x. All coefficients of g are positive. So g is a distribution of the labels
    of n people in which each is equally likely to be the attacked person. The other labels then
    have the distribution H, except for a part (1 - s)^n with an empty pool. In that part the labels
    are not revealed, and delta is at most D. In the main part reports with one label are
    exchangeable, given the labels: the likelihood of u less e^eps times that of v is the mean of
    the X_i.  []

All X_i have the mean 1 - e^eps and differ in spread. To bound all combinations of values at once,
one common term X* replaces each X_i (Lindeberg's exchange). First add to the sum one Laplace
variable G of scale 1/L, which never lowers E[( )_+] (Jensen). The density h of G and the
other terms then changes by at most a factor e^(L |c - c'|) from c to c'. Replacing X by X* adds

    int h(c) D(c) dc,   D(c) = E[(X* - c)_+] - E[(X - c)_+].

If this is never negative for such h, all terms may be replaced:

    delta <= (1/n) E[(X*_1 + ... + X*_n + G)_+] + (1 - s)^n D                            (2)

A sufficient test, for some c_0: int D_+ e^(-L |c - c_0|) >= int D_- e^(L |c - c_0|). X* is the term
of largest spread, widened about its mean by the least amount that passes the test. A steep h also
depends on the third moment. So if widening is costly, X* is a mixture of the widest term and of a
term with a large third moment, scaled to the same spread. G and the pool add about 2 / (L^2 n) and
s to the variance of one term. This is negligible in a large crowd, so (2) comes close to the delta
of people that all have one value, which is a lower bound.

The result is new here; the exchange of terms is Lindeberg's. The pool is a privacy blanket (Balle,
Bell, Gascon, Nissim, 2019), as thin as possible. b is the blanket's distribution, or has more of it
at reports with a small |d|, which changes the Q_x less.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, log1p, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours, PairLaw
from ..validation import Floats
from .iid_sums import at_most
from .pair_bounds import FINE, max_delta

Law = tuple[Floats, Floats]  # a distribution: values and their probabilities

# The pool is the people that report by a distribution b common to all values. RARE: largest share
# of the bound on delta that the case of an empty pool may cost. POOLED: expected people in the pool
# at the first try. TRIES: number of tries with a larger pool.
RARE, POOLED, TRIES = 0.005, 2.0, 4
# Each further try adds to the pool (reports by the common distribution) the people that make an
# empty pool rare enough, and this margin. The margin is needed because a larger pool leaves a
# thinner privacy blanket for the case of an empty pool, which then costs more.
MARGIN = 0.1
# The pool (reports by the common distribution) is at most this part of the privacy blanket. So the
# remaining distribution Q_x of each value x still gives every report that x can give.
POOL = 0.5
# In the sum that bounds delta one common term X* replaces the term of each person. Shares by which
# X* is tried wider than the widest term it replaces.
WIDER = (0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1)
# In the sum that bounds delta, a widened common term X* replaces the term of each person. If the
# widening costs more than DEAR, X* is also mixed with one of the shares LEANING of a term with a
# large third moment. The cost is the relative increase of the standard deviation of the sum.
DEAR, LEANING = 4e-3, (0.1, 0.2, 0.25, 0.3, 0.35, 0.4)
# The bound of delta is computed from a sum with a term for each person; a Laplace variable G of
# rate L smooths it. The search for L starts where the variance of G is about the share SMOOTH of
# the variance of the sum. L is divided by FLATTER until one common term may replace the term of
# every person, for at most SCALES rates. The last step is then halved HALVINGS times.
SMOOTH, FLATTER, SCALES, HALVINGS = 5e-4, 1.4, 16, 6
# The gain D of replacing a person's term by a common term is a function of a point c. The test
# whether the replacement is allowed weighs D by the distance of c from a centre. CENTRES: number of
# centres to try. NODES: number of quadrature nodes in each interval in which D is linear.
CENTRES, NODES = 25, 8
# Reports with |d| / b up to a limit are in the pool. The limit is raised by this share, so that
# rounding errors leave out no report with an equal |d| / b.
TIED = 1e-9
# A common term may replace a person's term if the gain D of the replacement is never negative.
# ROUNDING: rounding error of D, as a share of the widest term. SLIGHT: share of this error by which
# D may be below 0; the bound of delta is raised by as much.
ROUNDING, SLIGHT = 1e-12, 0.01


def any_others_delta(case: Neighbours, n: int, epsilon: float, known_bound: float) -> float:
    """Return an upper bound of delta for two values u and v among n reports, for any other values.

    The bound is computed from a sum in which one common term replaces the term of each person.

    Args:
        case: report distributions of the attacked person's values u and v: relative to the privacy
            blanket (the part of other people's reports common to all values), and to other people
            with the same value. The bound also covers v against u.
        n: number of reports, >= 1.
        epsilon: nats, > 0.
        known_bound: an upper bound of delta, > 0. Errors far below it are acceptable.

    Returns:
        The upper bound. Infinite if the reports of some value are not known, if a report is
        impossible for some value, or if no common term is found. Also infinite if the case that
        no person reports by the blanket alone adds `known_bound` or more.
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
    """The distributions of the terms of a sum that bounds delta, for any values of other people.

    Another person with value x reports by a common distribution b with probability s (the pool),
    else by the remaining distribution Q_x. d is P_u - e^eps P_v, the difference of the attacked
    person's report distributions for the values u and v.

    Attributes:
        values: the distributions of d / Q_x for every value x of another person.
        pool: the distributions of d / b, for u against v and for v against u.
        share: s, the probability of a report by the common distribution.
        rare: the part of delta from an empty pool (no report drawn from b).
    """

    values: list[Law]
    pool: list[Law]
    share: float
    rare: float

    @property
    def laws(self) -> list[Law]:
        """The distributions of all terms: of the values of other people, and of the pool.

        The pool is the people that report by a distribution common to all values.
        """
        return [*self.values, *self.pool]


def listed(case: Neighbours) -> bool:
    """Whether each value's reports are known, and no report is impossible for some value.

    case: the report distributions of two values, with the privacy blanket of other people.
    """
    blanket, pairs = case
    has_blanket = blanket.weight > 0 and not blanket.bare.size
    return has_blanket and bool(pairs) and all(pair.shared is not None for pair in pairs)


def labelled(case: Neighbours, n: int, epsilon: float, upper_bound: float) -> BoundTerms | None:
    """Return the terms of the sum that bounds delta; None if some value's reports are not known.

    With probability s another person reports by a distribution common to all values: such people
    are the pool.

    Args:
        case: report distributions of the attacked person's values u and v: relative to the privacy
            blanket (the part of other people's reports common to all values), and to other people
            with the same value. The bound also covers v against u.
        n: number of reports, >= 1.
        epsilon: nats, > 0.
        upper_bound: an upper bound of delta, > 0. s is chosen so that an empty pool adds little to
            it.
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
    """Return the pool's distribution relative to the privacy blanket, as three numbers.

    The blanket b is the part of other people's reports common to all values. The pool is the people
    that report by a common distribution, built from b. Let d be P_u - e^eps P_v, the difference of
    the attacked person's report distributions. The three numbers are a limit, and two ratios to b:
    the first of reports with |d| / b up to the limit, the second of other reports. The pool should
    take reports with small |d| first, because such reports distinguish u and v least. A share of
    the other reports keeps the spread of the pool's terms d / pool no wider than that of the terms
    of values.
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
    """Whether a pair's list of outcomes is fine enough to show all values of d / blanket.

    d is P_u - e^eps P_v, the difference of the attacked person's report distributions; the blanket
    is the part of other people's reports common to all values. Outcomes that were merged have only
    the mean of d / blanket, and so a smaller mean square.

    square: the mean square of d / blanket.
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
    """Return the distributions of d / Q_x for every value x of another person, and of d / b.

    A random variable with such a distribution is a term of a sum that bounds delta. d is P_u -
    e^eps P_v, the difference of the attacked person's report distributions. Another person reports
    by the common distribution b (the pool) with probability `share`, else by Q_x.

    case: report distributions of u and v, relative to the privacy blanket and to each value of
    other people.
    pool: the pool's distribution relative to the blanket: a limit of |d| / blanket, the ratio up to
    the limit, and the ratio above.
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
    """Return a bound on delta with a common term X* for all people; infinite without a common term.

    The bound is (1/n) E[(X*_1 + ... + X*_n + G)_+]. G is a Laplace variable that smooths the sum.

    laws: the distributions of the terms that X* replaces.
    n: number of reports.
    """
    widest = max(laws, key=variance_of)
    cheapest = _cheapest(widest, laws, n, inf)
    cost = cheapest[0] if cheapest else inf
    for law in _crooked(widest, laws) if DEAR < cost < inf else ():
        for share in LEANING:  # larger shares are tried while they lower the cost
            cheaper = _cheapest(mixed_with(widest, law, share), laws, n, cost)
            if cheaper is None:
                break
            cheapest, cost = cheaper, cheaper[0]
    if cheapest is None:
        return inf
    slight = SLIGHT * ROUNDING * float(np.abs(cheapest[1][0]).max())
    return at_most(*cheapest[1], n, FINE, cheapest[2]) / n + slight


def _cheapest(law: Law, laws: list[Law], n: int, cost: float) -> tuple[float, Law, float] | None:
    """Return cost, X* and L of the best widening of a distribution; None above `cost`.

    The common term X*, a widened `law`, replaces every person's term in the sum that bounds delta.
    G, a Laplace variable of rate L, smooths the sum. X* and G make the sum wider, which loosens the
    bound: the cost is the relative increase of the sum's standard deviation. X* must be wide enough
    that the replacement never lowers the bound.

    laws: the distributions of the terms that X* replaces.
    n: number of reports.
    """
    best, candidates = None, laws
    for wider in WIDER:
        if wider >= cost:
            break
        star = spread_by(law, wider)
        # If the common term may replace a term at every smoothing, then each wider common term may
        # too: so such terms need no further test.
        candidates = [candidate for candidate in candidates if _gain(star, candidate) is not None]
        sharp = largest_sharpness(star, candidates, n)
        if sharp is not None and (dear := wider + 1 / (sharp**2 * n * variance_of(star))) < cost:
            best, cost = (dear, star, sharp), dear
    return best


def _crooked(widest: Law, laws: list[Law]) -> list[Law]:
    """Return the distributions with the largest and the smallest third central moment.

    A common term of the same variance as a person's term may still fail to replace it, because
    their third moments differ. A mixture with these distributions helps. Empty if the distribution
    of largest variance, `widest`, is itself the first or the second.

    laws: the distributions of the terms that the common term has to replace.
    """
    third = [float(p @ (x - p @ x) ** 3) for x, p in laws]
    ends = [laws[int(np.argmax(third))], laws[int(np.argmin(third))]]
    return [] if any(law is widest for law in ends) else ends


def mixed_with(widest: Law, law: Law, share: float) -> Law:
    """Return a mixture of the distribution `widest` with a share of the distribution `law`.

    `law` is first scaled to the variance of `widest`. share: weight of `law` in the mixture.
    """
    scaled = spread_by(law, sqrt(variance_of(widest) / variance_of(law)) - 1)
    atoms = np.concatenate([widest[0], scaled[0]])
    return atoms, np.concatenate([(1 - share) * widest[1], share * scaled[1]])


def variance_of(law: Law) -> float:
    """Return the variance of a distribution, given as values and probabilities."""
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 2)


def spread_by(law: Law, wider: float) -> Law:
    """Return a distribution stretched about its mean: standard deviation times 1 + `wider`."""
    atoms, weights = law
    mean = weights @ atoms
    return mean + (1 + wider) * (atoms - mean), weights


def largest_sharpness(star: Law, laws: list[Law], n: int) -> float | None:
    """Return the largest rate L tried with which `star` may replace every distribution; else None.

    `star` is the distribution of a common term for all people in the sum of n terms that bounds
    delta. 1/L is the scale of the Laplace variable that smooths the sum. A larger L costs less.

    laws: the distributions of the terms that `star` has to replace.
    """
    first = 1 / sqrt(SMOOTH * n * variance_of(star))
    gains = [_pieces(*gain) for law in laws if (gain := _gain(star, law)) is not None]
    for i in range(SCALES):
        sharp = first / FLATTER**i
        failing = next((gain for gain in gains if not _never_negative(*gain, sharp)), None)
        if failing is None:
            return _sharper(gains, sharp) if i else sharp
        # A term that cannot be replaced at one rate usually cannot at the next either. Testing it
        # first ends a failing test early.
        gains.sort(key=lambda gain: gain is not failing)
    return None


def _sharper(gains: list[tuple[Floats, Floats]], sharp: float) -> float:
    """Return the largest valid rate found between `sharp` and FLATTER times `sharp`.

    The rate is that of the Laplace variable that smooths the sum of people's terms. A rate is valid
    if a common term may replace the term of every person; `sharp` is valid. A larger rate gives a
    tighter bound of delta.

    gains: a pair for each replaced term (`_pieces`): distances of some points from centres, and the
    gains of the replacement at these points, weighted for an integral.
    """
    low, high = 1.0, FLATTER
    for _ in range(HALVINGS):
        middle = sqrt(low * high)
        fits = all(_never_negative(*gain, sharp * middle) for gain in gains)
        low, high = (middle, high) if fits else (low, middle)
    return sharp * low


def _gain(star: Law, law: Law) -> tuple[Floats, Floats] | None:
    """Return points c, and at each the gain D(c) of replacing the term `law` by `star`.

    D(c) = E[(X* - c)_+] - E[(X - c)_+], with X* distributed as `star` and X as `law`. D is linear
    between the points. None if D is nowhere below 0, so that the replacement is always allowed.
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
    """Return the distances |c - c_0| of quadrature nodes from centres, and weighted gains.

    D(c) is the gain of replacing a term of a sum by a wider term if the other terms sum to -c. The
    test whether the replacement is allowed weighs the gains by the distance from a centre. Shapes
    (centres, nodes), (nodes,).

    knots, D: points c and the gains there, linear in between.
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
    """Whether replacing a term of a sum by a wider term never lowers the bound on delta.

    D is the gain of the replacement for a given sum of the other terms, and h the density of that
    sum. The replacement adds the integral of h D to the bound. The test holds for every h that
    changes by at most a factor e^(L |c - c'|) from c to c'.

    gap: distances of quadrature nodes from centres, shape (centres, nodes).
    gain: gains D at the nodes times quadrature weights, shape (nodes,).
    sharp: the rate L.
    """
    exponents = np.minimum(sharp * gap, 600.0)
    return bool((np.exp(np.where(gain > 0, -exponents, exponents)) @ gain).max() >= 0)
