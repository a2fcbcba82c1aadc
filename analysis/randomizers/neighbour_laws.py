"""Neighbours: two values of one person, and the laws of its report and of other people's.

Only the likelihoods of a report under the two values u and v matter, so a few outcomes y stand for
all reports. If the law of every value is at least w b(y), then with probability w another person's
report is drawn from b, independently of its value: the privacy blanket (*recalled*: Balle, Bell,
Gascon, Nissim, 2019). Blankets: a uniform report for GRR (w = a lie), local hashing (w = g lie) and
flipped bits (w = (2 q)^L); for unary encodings all a bits drawn with lambda, with the largest
weight that all coins allow:

    w = min(kappa / lambda, (1 - kappa) / (1 - lambda)) = (1 - kappa) / (1 - lambda)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import comb, exp, prod

import numpy as np

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Floats

# Bits up to which all vectors of other people are listed.
MOST_LISTED = 6


@keeps_old(own="u_ratios", other="v_ratios")
@dataclass(frozen=True, slots=True, eq=False)
class PairLaw:
    """A doubted person among people with a known part of their reports.

    Attributes:
        weight: w, the known share of other people's reports, in (0, 1].
        law: b, over some outcomes; sums to 1.
        u_ratios, v_ratios: P_u / b and P_v / b at these outcomes.
        shared: the blanket's law / b at these outcomes, if all values of other people are listed.
        bare: P_u and P_v at outcomes impossible under b, shape (2, outcomes): they are not hidden.
    """

    weight: float
    law: Floats
    u_ratios: Floats
    v_ratios: Floats
    shared: Floats | None = None
    bare: Floats = field(default_factory=lambda: np.zeros((2, 0)))

    def local_delta(self, epsilon: float) -> float:
        """Delta before shuffling."""
        pair_divergence = float(
            self.law @ np.maximum(self.u_ratios - exp(epsilon) * self.v_ratios, 0.0)
        )
        return pair_divergence + self.never(epsilon)

    def never(self, epsilon: float) -> float:
        """The part of delta at outcomes that b never has: no crowd makes it smaller."""
        return float(np.maximum(self.bare[0] - exp(epsilon) * self.bare[1], 0.0).sum())

    @property
    def given_away(self) -> float:
        """The same at every epsilon: outcomes of u that neither b nor v has."""
        return float(self.bare[0][self.bare[1] == 0].sum())

    def reversed(self) -> "PairLaw":
        """The same with u and v exchanged."""
        return replace(self, u_ratios=self.v_ratios, v_ratios=self.u_ratios, bare=self.bare[::-1])

    @classmethod
    def over(
        cls, b: Floats, u: Floats, v: Floats, weight: float = 1.0, shared: Floats | None = None
    ) -> "PairLaw":
        """From the laws b, P_u, P_v, blanket themselves."""
        is_possible = b > 0
        common_law = None if shared is None else shared[is_possible] / b[is_possible]
        bare = np.stack([u, v])[:, ~is_possible]
        return cls(
            weight,
            b[is_possible],
            u[is_possible] / b[is_possible],
            v[is_possible] / b[is_possible],
            common_law,
            bare[:, bare.max(axis=0, initial=0.0) > 0],
        )


# The blanket, and pairs with one value of all other people: v, or another law.
Neighbours = tuple[PairLaw, list[PairLaw]]


def symbol_neighbours(a: int, p: float, q: float) -> Neighbours:
    """Return neighbours by outcomes: u, v, any other symbol."""
    u, v = np.array([p, q, (a - 2) * q]), np.array([q, p, (a - 2) * q])
    b = np.array([1.0, 1.0, a - 2.0]) / a
    equals = [PairLaw.over(v, u, v, shared=b)]
    if a > 2:  # outcomes u, v, z, any other symbol
        own_law, other_law = (np.array([*x, q, (a - 3) * q]) for x in ((p, q), (q, p)))
        third, any_symbol = np.array([q, q, p, (a - 3) * q]), np.array([1.0, 1.0, 1.0, a - 3.0]) / a
        equals.append(PairLaw.over(third, own_law, other_law, shared=any_symbol))
    return PairLaw.over(b, u, v, a * q), equals


def coin_neighbours(a: int, kappa: float, lam: float) -> Neighbours:
    """Outcomes: the bits at u and v, and at z."""
    own_coin, rare = np.array([1 - kappa, kappa]), np.array([1 - lam, lam])
    if min(own_coin.min(), rare.min()) <= 0:
        raise ParameterError(
            f"UE(a={a}, kappa={kappa:g}, lambda={lam:g}): some reports give a value away; no bound "
            "but the local one"
        )

    def law(*coins: Floats) -> Floats:
        return np.array([prod(chances) for chances in product(*coins)], np.float64)

    u, v = law(own_coin, rare), law(rare, own_coin)
    b, all_rare = law(rare, rare), law(rare, rare, rare)
    equals = [PairLaw.over(v, u, v, shared=b)]
    if a > 2:
        third = law(own_coin, rare, rare), law(rare, own_coin, rare)
        equals.append(PairLaw.over(law(rare, rare, own_coin), *third, shared=all_rare))
    return PairLaw.over(b, u, v, float((own_coin / rare).min())), equals


def hash_neighbours(
    g: int, p: float, epsilon: float, meetings: Sequence[float] | None = None
) -> Neighbours:
    """Neighbours by outcomes: those of u, v and a third value z with the reported hash value.

    Two values collide under 1/g of the keys; collisions of three values depend on the family.

    Args:
        g: hash values.
        p: the probability of the true hash value.
        epsilon: nats.
        meetings: the least and the largest probability that three values have one hash value; no
            third value if it is empty; None: not known. All laws are linear in it, so these two
            stand for those between.
    """
    u, v, b = _hashed(g, p, epsilon, [(1 / g, (0, 0)), (1 - 1 / g, (0, 1))])
    equals = [PairLaw.over(v, u, v, shared=None if meetings is None else b)]
    for all_three in meetings or ():
        only_two = 1 / g - all_three
        kinds = [(all_three, (0, 0, 0)), (1 - all_three - 3 * only_two, (0, 1, 2))]
        kinds += [(only_two, places) for places in ((0, 0, 1), (0, 1, 0), (1, 0, 0))]
        own_law, other_law, third, any_value = _hashed(g, p, epsilon, kinds)
        equals.append(PairLaw.over(third, own_law, other_law, shared=any_value))
    return PairLaw.over(b, u, v, g * p * exp(-epsilon)), equals


def _hashed(
    g: int, p: float, epsilon: float, kinds: Sequence[tuple[float, tuple[int, ...]]]
) -> list[Floats]:
    """Return the laws of a report of each value, and of a uniform report.

    Args:
        g: hash values.
        p: the probability of the true hash value.
        epsilon: nats.
        kinds: kinds of keys: their probability and the places to which they send the values.
    """
    rows = []
    for chance, places in kinds:
        if chance > 0:
            for value in sorted(set(places)):
                laws = [p if place == value else p * exp(-epsilon) for place in places]
                rows.append(chance * np.array([*laws, 1 / g]))
            rest = chance * (g - len(set(places)))
            rows.append(rest * np.array([*[p * exp(-epsilon)] * len(places), 1 / g]))
    return list(np.array(rows).T)


def flip_neighbours(L: int, q: float, h: int) -> Neighbours:
    """Return neighbours by outcomes: bits that agree with u among the h, wrong bits among the rest.

    The blanket is a uniform vector. If all other people have v, only the differing bits matter:
    the rest has the same law with and without the doubted person.
    """
    p, rest = 1 - q, L - h
    agree = np.repeat(np.arange(h + 1.0), rest + 1)
    wrong = np.tile(np.arange(rest + 1.0), h + 1)
    ways = [comb(h, int(i)) * comb(rest, int(j)) for i, j in zip(agree, wrong, strict=True)]
    b = np.array(ways, np.float64) / 2.0**L
    shared = (2 * p) ** (rest - wrong) * (2 * q) ** wrong
    u = (2 * p) ** agree * (2 * q) ** (h - agree) * shared
    v = (2 * q) ** agree * (2 * p) ** (h - agree) * shared
    blanket = PairLaw((2 * q) ** L, b, u, v)
    if L <= MOST_LISTED:
        nonzero_overlaps = [(j, r) for j in range(h // 2 + 1) for r in range(rest + 1) if j or r]
        return blanket, [flip_pair_among(q, h, j, r) for j, r in [*nonzero_overlaps, (0, 0)]]
    lies = np.arange(h + 1.0)
    law = np.array([comb(h, int(i)) * q**i * p ** (h - i) for i in lies])
    return blanket, [PairLaw(1.0, law, (p / q) ** (2 * lies - h), np.ones(h + 1))]


def flip_pair_among(q: float, h: int, j: int, r: int) -> PairLaw:
    """A pair with one vector x for other people: u's in j differing bits, inverted in r others.

    Outcomes: the numbers of these j, of the other h - j, and of the r bits that are reported as in
    u, u and x.
    """
    p = 1 - q

    def law(*truths: float) -> Floats:
        laws = [
            [comb(bit_count, i) * t**i * (1 - t) ** (bit_count - i) for i in range(bit_count + 1)]
            for bit_count, t in zip((j, h - j, r), truths, strict=True)
        ]
        return np.array([prod(chances) for chances in product(*laws)], np.float64)

    return PairLaw.over(law(p, q, p), law(p, p, q), law(q, q, q), shared=law(0.5, 0.5, 0.5))


def clone_neighbours(epsilon: float) -> Neighbours:
    """Return a blanket for any randomizer of this epsilon, and no pair.

    Every value's law is at least e^-eps times the mean of those of u and v, so with probability
    e^-eps another person is a clone of one of both, at random; and any two laws of this
    epsilon are a processing of randomized response on two values (V. Feldman, A. McMillan, K.
    Talwar, FOCS 2021; P. Kairouz, S. Oh, P. Viswanath, 2015).
    """
    lie = 1 / (1 + exp(epsilon))
    u, v = np.array([1 - lie, lie]), np.array([lie, 1 - lie])
    return PairLaw.over(np.full(2, 0.5), u, v, exp(-epsilon)), []
