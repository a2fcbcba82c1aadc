"""An upper bound of delta after shuffling that is met by a crowd of one value, whatever it has.

n people report, one of whom has u or v; x is the value of another, P_x the law of its report. Let b
be a law with P_x >= s b for every x, Q_x = (P_x - s b) / (1 - s) and d = P_u - e^eps P_v. Then

    delta <= (1/n) max over populations of E[(X_1 + ... + X_n)_+] + (1 - s)^n D          (1)

where n_x of the X_i are d(Y)/Q_x(Y), Y ~ Q_x, and the rest d(Y)/b(Y), Y ~ b; D is a bound of delta
among others who report by some Q_x each: 1, or that of the blanket which these laws share.

    Proof. Each of the others is in the pool with probability s, and reports by b; else it has the
    label x and reports by Q_x: together P_x. Tell the attacker all labels, the pool's too. The
    doubted person takes a label as well, which says nothing of its report; how, we may choose. Let
    H(w) be the generating function of the others' labels (w_0 of the pool, w_x of the values), a
    product of n - 1 factors s w_0 + (1 - s) w_x, and

        g(w) = n int_{-s w_0}^0 H(w + t 1) dt,   (1/n) sum over all labels of dg/dw = H(w) - r,

    r = (1 - s)^n prod w_x. All coefficients of g are positive. So g is a law of the labels of n
    people, of whom any is as likely to be the doubted one as any other, and whose others have just
    the labels of H, but for a part (1 - s)^n, in which nobody is in the pool; there the attacker is
    not told the labels, and the delta is at most D. For all the rest: given the labels, reports of
    one label are alike: the likelihood of u less e^eps that of v is the mean of the X_i.  []

All X_i have the mean 1 - e^eps: they differ in spread. To compare populations, add to the sum one
Laplace variable G of scale 1/L, which raises E[( )_+] (Jensen). The density of the other n - 1
terms with G, h, then changes by at most e^(L |c - c'|) from c to c', and replacing X by X* adds

    int h(c) D(c) dc,   D(c) = E[(X* - c)_+] - E[(X - c)_+].

If this is never negative for such h, one may replace all of them (Lindeberg's exchange):

    delta <= (1/n) E[(X*_1 + ... + X*_n + G)_+] + (1 - s)^n D                            (2)

Sufficient, for some c_0: int D_+ e^(-L |c - c_0|) >= int D_- e^(L |c - c_0|). X* is the X_x of
largest spread, widened about its mean by as little as makes that so. What a steep h asks for beyond
spread is its lean (third moment): where widening is dear, X* has a share of an X_x that leans,
made as wide, and the widest and the leaning law share the difference. G and the pool add about
2 / (L^2 n) and s to the variance of one term: nothing in a large crowd, so (2) comes down to the
delta of others who all have the value x, which is a lower bound. The result is ours; the exchange
of terms is Lindeberg's, the pool a privacy blanket (Balle, Bell, Gascon, Nissim, 2019) as thin as
can be. b is the blanket's law, or more of it where |d| is least, which costs the Q_x less.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, inf, log, log1p, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours, PairLaw
from ..validation import Floats
from .iid_sums import at_most
from .pair_bounds import FINE, most_delta

Law = tuple[Floats, Floats]  # atoms and their probabilities

# Part of a bound that the case in which nobody is in the pool may add; the people in the pool that
# are tried first; how often at most.
RARE, POOLED, TRIES = 0.005, 2.0, 4
# People more than one step asks for: a thinner blanket hides less.
MARGIN = 0.1
# The pool is at most this part of the blanket, so that every Q_x keeps P_x's support.
POOL = 0.5
# How much wider than the widest X_x the common law may be made.
WIDER = (0.0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1)
# From this cost on X* may lean, by these shares.
DEAR, LEANING = 4e-3, (0.1, 0.2, 0.25, 0.3, 0.35, 0.4)
# Share of the variance that G costs at first, the factor from one L to the next, how many, and how
# often the last step is halved.
SMOOTH, FLATTER, SCALES, HALVINGS = 5e-4, 1.4, 16, 6
# Points c_0 that are tried, and nodes of quadrature in a piece on which D is straight.
CENTRES, NODES = 25, 8
# Relative difference of two numbers that are one.
TIED = 1e-9
# What rounding may take from D, as a part of the widest term; the part of that by which D may be
# below 0 where it is taken for 0, which is added to the bound.
ROUNDING, SLIGHT = 1e-12, 0.01


def any_others_delta(case: Neighbours, n: int, epsilon: float, known: float) -> float:
    """An upper bound of delta for a pair of values among n reports, others of any values.

    Args:
        case: the blanket and the pairs of all values of the others; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        known: an upper bound, > 0: what is far below it costs nothing.

    Returns:
        (2); infinite where the values of the others are not all known, where one of them excludes a
        report, where no L is steep enough, or where an empty pool alone costs `known`.
    """
    if (labels := labelled(case, n, epsilon, known)) is None:
        return inf
    if labels.rare >= known:
        return inf
    least = _exchanged(labels.laws, n) + labels.rare
    for _ in range(TRIES - 1):
        if labels.rare <= RARE * least:
            break
        known = min(known, least)
        labels = labelled(case, n, epsilon, known) or labels
        least = min(least, _exchanged(labels.laws, n) + labels.rare)
    return least


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The terms of (1), of one population or another.

    Attributes:
        values: the laws of d / Q_x for every value x of another person.
        pool: those of d / b, which are alike but for the direction of the doubt.
        share: s.
        rare: the part of delta of nobody in the pool.
    """

    values: list[Law]
    pool: list[Law]
    share: float
    rare: float

    @property
    def laws(self) -> list[Law]:
        """All of them."""
        return [*self.values, *self.pool]


def listed(case: Neighbours) -> bool:
    """Whether the values of the others are all known, and none of them excludes a report."""
    blanket, pairs = case
    hidden = blanket.weight > 0 and not blanket.bare.size
    return hidden and bool(pairs) and all(pair.shared is not None for pair in pairs)


def labelled(case: Neighbours, n: int, epsilon: float, known: float) -> Labels | None:
    """The terms of (1); None where the values of the others are not all known.

    Args:
        case: the blanket and the pairs of all values of the others; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        known: an upper bound of delta, > 0: s is such that the rest adds little to it.
    """
    if not listed(case):
        return None
    blanket, _ = case
    alone = blanket.alone(epsilon)
    chosen = _pool(case, epsilon)
    wanted, share, rare = POOLED, 0.0, alone
    for _ in range(TRIES):
        share = min(wanted / n, POOL * blanket.weight / chosen[1])
        thin = (blanket.weight - share * chosen[1]) / (1 - share)
        hidden = most_delta(PairLaw(thin, blanket.law, blanket.own, blanket.other), n, epsilon)
        rare = exp(n * log1p(-share)) * min(alone, hidden)
        if rare <= known * RARE:
            break
        wanted += log(rare / (known * RARE)) + MARGIN
    return Labels(*_terms(case, epsilon, share, chosen), share, rare)


def _pool(case: Neighbours, epsilon: float) -> tuple[float, float, float]:
    """The pool's law over the blanket's: the |d| / blanket up to which it is more, how much; else.

    Who is in the pool takes from what others may say. It takes least where the two values differ
    least: there it reports, but for a share that keeps d / b no wider than the terms of values.
    """
    blanket, pairs = case
    own, other = blanket.own, exp(epsilon) * blanket.other
    away, back = np.abs(own - other), np.abs(blanket.other - exp(epsilon) * own)
    alike = all(_seen(pair, epsilon, float(blanket.law @ away**2)) for pair in pairs)
    low = away <= away.min() * (1 + TIED)
    mass = float(blanket.law[low].sum())
    if not alike or mass >= 1 or not np.isclose(blanket.law @ back**2, blanket.law @ away**2):
        return inf, 1.0, 1.0
    widest = max(
        float(pair.law @ (own - exp(epsilon) * other) ** 2)
        for pair in pairs
        for own, other in ((pair.own, pair.other), (pair.other, pair.own))
    )
    outside = min(1.0, 2 * float(blanket.law @ away**2) / widest)
    return float(away.min()) * (1 + TIED), outside + (1 - outside) / mass, outside


def _seen(pair: PairLaw, epsilon: float, square: float) -> bool:
    """Whether these outcomes show all of d / blanket: means of a group of reports have less."""
    shared = np.asarray(pair.shared)
    if not shared.all():
        return False
    squares = (
        float((pair.law / shared) @ (own - exp(epsilon) * other) ** 2)
        for own, other in ((pair.own, pair.other), (pair.other, pair.own))
    )
    return bool(np.allclose(list(squares), square, rtol=1e-9, atol=0))


def _terms(
    case: Neighbours,
    epsilon: float,
    share: float,
    pool: tuple[float, float, float] = (inf, 1.0, 1.0),
) -> tuple[list[Law], list[Law]]:
    """The laws of d / Q_x for every value x of another person, and of d / b."""
    blanket, pairs = case
    floor, inside, outside = pool
    values = []
    for pair in pairs:
        shared = np.asarray(pair.shared)
        for own, other in ((pair.own, pair.other), (pair.other, pair.own)):
            d = own - exp(epsilon) * other
            more = np.where(np.abs(d) <= floor * shared, inside, outside)
            left = (1 - share * more * shared) / (1 - share)
            values.append((d / left, pair.law * left))
    laws = []
    for own, other in ((blanket.own, blanket.other), (blanket.other, blanket.own)):
        d = own - exp(epsilon) * other
        more = np.where(np.abs(d) <= floor, inside, outside)
        laws.append((d / more, blanket.law * more))
    return values, laws


def _exchanged(laws: list[Law], n: int) -> float:
    """(1/n) E[(sum of n of one common law, and G)_+]; infinite where none was found."""
    widest = max(laws, key=variance_of)
    cheapest = _cheapest(widest, laws, n, inf)
    cost = cheapest[0] if cheapest else inf
    for law in _crooked(widest, laws) if DEAR < cost < inf else ():
        for share in LEANING:  # as long as it helps
            other = _cheapest(mixed_with(widest, law, share), laws, n, cost)
            if other is None:
                break
            cheapest, cost = other, other[0]
    if cheapest is None:
        return inf
    slight = SLIGHT * ROUNDING * float(np.abs(cheapest[1][0]).max())
    return at_most(*cheapest[1], n, FINE, cheapest[2]) / n + slight


def _cheapest(law: Law, laws: list[Law], n: int, cost: float) -> tuple[float, Law, float] | None:
    """The cost, X* and L of the best widening of a law that is below a cost; None: there is none.

    The cost is the share by which X* and G widen the deviation of the sum.
    """
    best, left = None, laws
    for wider in WIDER:
        if wider >= cost:
            break
        star = spread_by(law, wider)
        # A law that is below the common one is below each wider one too.
        left = [other for other in left if _gain(star, other) is not None]
        sharp = largest_sharpness(star, left, n)
        if sharp is not None and (dear := wider + 1 / (sharp**2 * n * variance_of(star))) < cost:
            best, cost = (dear, star, sharp), dear
    return best


def _crooked(widest: Law, laws: list[Law]) -> list[Law]:
    """The laws that lean most to either side; none where the widest is one of them already."""
    third = [float(p @ (x - p @ x) ** 3) for x, p in laws]
    ends = [laws[int(np.argmax(third))], laws[int(np.argmin(third))]]
    return [] if any(law is widest for law in ends) else ends


def mixed_with(widest: Law, law: Law, share: float) -> Law:
    """The widest law mixed with a share of another one, which is made as wide."""
    scaled = spread_by(law, sqrt(variance_of(widest) / variance_of(law)) - 1)
    atoms = np.concatenate([widest[0], scaled[0]])
    return atoms, np.concatenate([(1 - share) * widest[1], share * scaled[1]])


def variance_of(law: Law) -> float:
    """The variance of a law."""
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 2)


def spread_by(law: Law, wider: float) -> Law:
    """The law widened about its mean."""
    atoms, weights = law
    mean = weights @ atoms
    return mean + (1 + wider) * (atoms - mean), weights


def largest_sharpness(star: Law, laws: list[Law], n: int) -> float | None:
    """The largest L looked at with which every law may be replaced by `star`."""
    first = 1 / sqrt(SMOOTH * n * variance_of(star))
    gains = [_pieces(*gain) for law in laws if (gain := _gain(star, law)) is not None]
    for i in range(SCALES):
        sharp = first / FLATTER**i
        failing = next((gain for gain in gains if not _never_negative(*gain, sharp)), None)
        if failing is None:
            return _sharper(gains, sharp) if i else sharp
        # What fails for one L mostly fails for the next: it is asked first.
        gains.sort(key=lambda gain: gain is not failing)
    return None


def _sharper(gains: list[tuple[Floats, Floats]], sharp: float) -> float:
    """An L between one that will do and FLATTER times as much, that will do too."""
    low, high = 1.0, FLATTER
    for _ in range(HALVINGS):
        middle = sqrt(low * high)
        fits = all(_never_negative(*gain, sharp * middle) for gain in gains)
        low, high = (middle, high) if fits else (low, middle)
    return sharp * low


def _gain(star: Law, law: Law) -> tuple[Floats, Floats] | None:
    """D at the points between which it is straight: atoms, zeros, some c_0; None: nowhere < 0."""
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
    """|c - c_0| for every c_0 and every node c of a quadrature, and its weights times D."""
    nodes, weights = _quadrature()
    half = np.diff(knots)[:, None] / 2
    c = ((knots[:-1] + knots[1:])[:, None] / 2 + half * nodes).ravel()
    centres = np.linspace(knots[0], knots[-1], CENTRES)
    return np.abs(c - centres[:, None]), np.interp(c, knots, D) * (half * weights).ravel()


@cache
def _quadrature() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(NODES)


def _never_negative(away: Floats, gain: Floats, sharp: float) -> bool:
    """Whether the integral of h D cannot be negative, for every h that falls or rises by e^L."""
    far = np.minimum(sharp * away, 600.0)
    return bool((np.exp(np.where(gain > 0, -far, far)) @ gain).max() >= 0)
