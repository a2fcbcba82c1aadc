"""Report distributions of two values of one person among other people, for bounds after shuffling.

The attacked person has the value u or v, and an observer of the shuffled reports is to tell which.
Only the likelihoods P_u(y) and P_v(y) of its report y matter, so a few outcomes y stand for all
reports. If the report distribution of every value is at least w b(y), then with probability w
another person's report is drawn from b, independently of its value: b is the privacy blanket
(*recalled*: Balle, Bell, Gascon, Nissim, 2019). Blankets: a uniform report for GRR (w = a lie),
local hashing (w = g lie) and flipped bits (w = (2 q)^L); for unary encodings all a bits drawn with
lambda, with the largest weight that all bits allow:

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

# Most bits for which all vectors of other people are listed.
MOST_LISTED = 6


@keeps_old(own="u_ratios", other="v_ratios")
@dataclass(frozen=True, slots=True, eq=False)
class PairLaw:
    """The report distributions of an attacked person's values u and v, relative to b.

    b is the report distribution of other people, or their privacy blanket: a distribution that
    another person's report has with some probability for any value. Bounds after shuffling are
    computed from the pair.

    Attributes:
        weight: w, the probability that another person's report is drawn from b, in (0, 1].
        law: b, over some outcomes; sums to 1.
        u_ratios, v_ratios: P_u / b and P_v / b at these outcomes.
        shared: the blanket's distribution / b at these outcomes, if all values of other people are
            listed.
        bare: P_u and P_v at outcomes impossible under b, shape (2, outcomes): they are not hidden.
    """

    weight: float
    law: Floats
    u_ratios: Floats
    v_ratios: Floats
    shared: Floats | None = None
    bare: Floats = field(default_factory=lambda: np.zeros((2, 0)))

    def local_delta(self, epsilon: float) -> float:
        """Return delta at `epsilon` of a single report, before shuffling."""
        pair_divergence = float(
            self.law @ np.maximum(self.u_ratios - exp(epsilon) * self.v_ratios, 0.0)
        )
        return pair_divergence + self.never(epsilon)

    def never(self, epsilon: float) -> float:
        """Return the part of delta at reports that no other person sends: impossible under b.

        No crowd makes it smaller. b is the report distribution of other people.
        """
        return float(np.maximum(self.bare[0] - exp(epsilon) * self.bare[1], 0.0).sum())

    @property
    def given_away(self) -> float:
        """The probability of reports possible only for the value u, not for v or for other people.

        u and v are the attacked person's possible values. It is a part of delta at every epsilon.
        """
        return float(self.bare[0][self.bare[1] == 0].sum())

    def reversed(self) -> "PairLaw":
        """Return the pair with the two values of the attacked person, u and v, exchanged."""
        return replace(self, u_ratios=self.v_ratios, v_ratios=self.u_ratios, bare=self.bare[::-1])

    @classmethod
    def over(
        cls, b: Floats, u: Floats, v: Floats, weight: float = 1.0, shared: Floats | None = None
    ) -> "PairLaw":
        """Return the pair from the distributions b, P_u and P_v themselves, of equal shape.

        b is that of other people's reports, P_u and P_v those of the attacked person's report for
        either value. weight: probability that another report is drawn from b. shared: the
        distribution of the privacy blanket, if all values of other people are listed.
        """
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


# Report distributions of an attacked person's values u and v: first relative to the privacy blanket
# (the known part of other people's reports), then to the reports of other people who all have v, or
# all a third value.
Neighbours = tuple[PairLaw, list[PairLaw]]


def symbol_neighbours(a: int, p: float, q: float) -> Neighbours:
    """Return the report distributions of two of a symbols under GRR. Outcomes: u, v, any other.

    p: the probability of the true symbol. q: of a given other symbol.
    """
    u, v = np.array([p, q, (a - 2) * q]), np.array([q, p, (a - 2) * q])
    b = np.array([1.0, 1.0, a - 2.0]) / a
    equals = [PairLaw.over(v, u, v, shared=b)]
    if a > 2:  # a third symbol z of other people; outcomes: u, v, z, any other symbol
        own_law, other_law = (np.array([*x, q, (a - 3) * q]) for x in ((p, q), (q, p)))
        third, any_symbol = np.array([q, q, p, (a - 3) * q]), np.array([1.0, 1.0, 1.0, a - 3.0]) / a
        equals.append(PairLaw.over(third, own_law, other_law, shared=any_symbol))
    return PairLaw.over(b, u, v, a * q), equals


def coin_neighbours(a: int, kappa: float, lam: float) -> Neighbours:
    """Return the report distributions of two of a symbols, u and v, under unary encoding.

    Outcomes: the bits at u and v, and at a third symbol z of other people. Raises a ParameterError
    if a bit is certain.
    """
    own_coin, rare = np.array([1 - kappa, kappa]), np.array([1 - lam, lam])
    if min(own_coin.min(), rare.min()) <= 0:
        raise ParameterError(
            f"UE(a={a}, kappa={kappa:g}, lambda={lam:g}): some reports reveal a value for certain; "
            "there is no bound except the local epsilon"
        )

    def law(*coins: Floats) -> Floats:
        """Return the joint distribution of independent bits."""
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
    """Return the report distributions of two symbols under local hashing.

    Outcomes: which of u, v and a third symbol z hash to the reported value. Two symbols collide
    under 1/g of the keys; collisions of three symbols depend on the family.

    Args:
        g: hash values.
        p: the probability of the true hash value.
        epsilon: nats.
        meetings: the least and the largest probability that three values have one hash value; no
            third value if it is empty; None: not known. All distributions are linear in it, so
            these two stand for those between.
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
    """Return the distribution of the report of each symbol, and of a uniform report.

    Args:
        g: hash values.
        p: the probability of the true hash value.
        epsilon: nats.
        kinds: kinds of keys: their probability and the hash value of each symbol.
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
    """Return the report distributions of two bit vectors with flipped bits.

    The vectors u and v have L bits and Hamming distance h; q is the probability of a flip.
    Outcomes: the number of bits that agree with u among the h differing bits, and of flipped bits
    among the other L - h. The privacy blanket (the known part of other people's reports) is a
    uniform vector. If all other people have v, only the differing bits matter: the rest has the
    same distribution with and without the attacked person.
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
    """Return the report distributions of two vectors u and v if all others have one vector x.

    u and v differ in h bits; q is the probability of a flip. x agrees with u in j of the h bits,
    and is inverted in r of the other bits. Outcomes: how many of these j, of the other h - j, and
    of the r bits are reported as in u, u and x.
    """
    p = 1 - q

    def law(*truths: float) -> Floats:
        """Return the joint distribution of the three counts at these probabilities of agreement."""
        laws = [
            [comb(bit_count, i) * t**i * (1 - t) ** (bit_count - i) for i in range(bit_count + 1)]
            for bit_count, t in zip((j, h - j, r), truths, strict=True)
        ]
        return np.array([prod(chances) for chances in product(*laws)], np.float64)

    return PairLaw.over(law(p, q, p), law(p, p, q), law(q, q, q), shared=law(0.5, 0.5, 0.5))


def clone_neighbours(epsilon: float) -> Neighbours:
    """Return the privacy blanket of any randomizer of this epsilon; no value of others is listed.

    A blanket is a distribution that another person's report has with some probability for any
    value. The distribution of every value is at least e^-eps times the mean of the distributions of
    u and v, so with probability e^-eps another person is a clone of u or v, at random; and any two
    distributions of this epsilon are a processing of randomized response on two values (V. Feldman,
    A. McMillan, K. Talwar, FOCS 2021; P. Kairouz, S. Oh, P. Viswanath, 2015).
    """
    lie = 1 / (1 + exp(epsilon))
    u, v = np.array([1 - lie, lie]), np.array([lie, 1 - lie])
    return PairLaw.over(np.full(2, 0.5), u, v, exp(-epsilon)), []
