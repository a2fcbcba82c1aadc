"""Report distributions of two values of one person among other people, for bounds after shuffling.

The attacked person has the value u or v. An observer of the shuffled reports tries to distinguish
these two cases. Only the probabilities P_u(y) and P_v(y) of the person's report y matter, so a few
outcomes y stand for all reports.

If the report distribution of every value is at least w b(y), for a distribution b, then with
probability w another person's report is drawn from b, independently of its value. b is called the
privacy blanket (*recalled*: Balle, Bell, Gascon, Nissim, 2019). The blankets are:

    GRR             a uniform report; w = a q for a symbols, q the probability of a given other
                    symbol
    local hashing   a uniform report; w = g q' for g hash values, q' the probability of a given
                    other hash value
    flipped bits    a uniform vector of L bits; w = (2 q)^L, with q the probability of a flip
    unary encoding  all bits drawn with lambda, the probability of a 1 at another symbol; kappa is
                    that at the true symbol, and w is the largest weight that all bits allow:
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

# Most bits for which other people's vectors are all considered: there are 2^bits.
MOST_LISTED = 6


@keeps_old(own="u_ratios", other="v_ratios")
@dataclass(frozen=True, slots=True, eq=False)
class PairLaw:
    """The report distributions of an attacked person's values u and v, relative to some b.

    b is the report distribution of other people, or their privacy blanket: a distribution that
    another person's report has with some probability for any value. Bounds after shuffling are
    computed from the pair.

    Attributes:
        weight: w, the probability that another person's report is drawn from b, in (0, 1].
        law: b, over some outcomes; sums to 1.
        u_ratios, v_ratios: P_u / b and P_v / b at these outcomes, with P_u and P_v the report
            distributions of the values u and v.
        shared: the privacy blanket's distribution divided by b at these outcomes; None if only some
            values of other people have a `PairLaw`.
        bare: P_u and P_v at outcomes impossible under b, shape (2, outcomes): other people's
            reports do not hide these.
    """

    weight: float
    law: Floats
    u_ratios: Floats
    v_ratios: Floats
    shared: Floats | None = None
    bare: Floats = field(default_factory=lambda: np.zeros((2, 0)))

    def local_delta(self, epsilon: float) -> float:
        """Return delta at `epsilon` of the attacked person's report alone, before shuffling."""
        pair_divergence = float(
            self.law @ np.maximum(self.u_ratios - exp(epsilon) * self.v_ratios, 0.0)
        )
        return pair_divergence + self.never(epsilon)

    def never(self, epsilon: float) -> float:
        """Return the part of delta at reports that no other person sends, at `epsilon` nats.

        Such reports are impossible under b, the report distribution of other people. So no number
        of other people makes this part smaller.
        """
        return float(np.maximum(self.bare[0] - exp(epsilon) * self.bare[1], 0.0).sum())

    @property
    def given_away(self) -> float:
        """The probability of reports possible only for the value u, not for v or for other people.

        u and v are the attacked person's possible values. Delta is at least this probability at
        every epsilon, because such a report reveals u.
        """
        return float(self.bare[0][self.bare[1] == 0].sum())

    def reversed(self) -> "PairLaw":
        """Return the pair with the two values of the attacked person, u and v, exchanged."""
        return replace(self, u_ratios=self.v_ratios, v_ratios=self.u_ratios, bare=self.bare[::-1])

    @classmethod
    def over(
        cls, b: Floats, u: Floats, v: Floats, weight: float = 1.0, shared: Floats | None = None
    ) -> "PairLaw":
        """Return the pair from distributions over the same outcomes.

        Args:
            b: the distribution of other people's reports, or of their privacy blanket: a
                distribution that their reports have with probability `weight` for any value.
            u: the distribution of the attacked person's report for the value u.
            v: the distribution of the attacked person's report for the value v.
            weight: the probability that another person's report is drawn from b.
            shared: the distribution of the privacy blanket, if b is the report distribution of one
                value and every other value has such a pair too; else None.
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


# Report distributions of an attacked person's values u and v. First, probabilities are divided by
# those of the privacy blanket, a distribution that other people's reports have with some
# probability for any value. Then they are divided by the report distribution of other people who
# all have v, or all a third value.
Neighbours = tuple[PairLaw, list[PairLaw]]


def symbol_neighbours(a: int, p: float, q: float) -> Neighbours:
    """Return the report distributions of two symbols u and v, of a symbols, under GRR.

    Outcomes: the report is u, v or any other symbol. p: the probability of the true symbol. q: that
    of a given other symbol.
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
    """Return the report distributions of two symbols u and v, of a symbols, under unary encoding.

    Outcomes: the bits at u and v, and at a third symbol that other people have. Raises a
    ParameterError if a bit is certain. kappa: the probability of a 1 at the true symbol. lam: that
    at another symbol.
    """
    own_coin, rare = np.array([1 - kappa, kappa]), np.array([1 - lam, lam])
    if min(own_coin.min(), rare.min()) <= 0:
        raise ParameterError(
            f"UE(a={a}, kappa={kappa:g}, lambda={lam:g}): some reports reveal a value for certain; "
            "there is no bound except the local epsilon"
        )

    def law(*coins: Floats) -> Floats:
        """Return the joint distribution of independent bits.

        coins: the probabilities of 0 and 1, for each bit.
        """
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
    """Return the report distributions of two symbols u and v under local hashing.

    A report is a key and a noisy hash value. Outcomes: which of u, v and a third symbol hash to the
    reported value. Two symbols have equal hash values under 1/g of the keys; for three symbols the
    probability depends on the hash family.

    Args:
        g: number of hash values.
        p: the probability that the true hash value is reported.
        epsilon: local epsilon in nats.
        meetings: the least and the largest probability that three symbols have equal hash values;
            empty if there is no third symbol; None if unknown. All distributions are linear in this
            probability, so these two stand for all between.
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
    """Return the report distributions of several symbols under local hashing.

    A kind of keys says which of the symbols have equal hash values. Outcomes: for each kind, the
    reported value is the hash value of certain symbols, or of none. There is a distribution for
    each symbol; the last distribution is that of a uniform report.

    Args:
        g: number of hash values.
        p: the probability that the true hash value is reported.
        epsilon: local epsilon in nats.
        kinds: for each kind of keys its probability, and a number for each symbol: equal numbers
            mean equal hash values.
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
    """Return the report distributions of two bit vectors with randomly flipped bits.

    The vectors u and v have L bits and differ in h of them; q is the probability of a flip.
    Outcomes: the number of bits of the report that agree with u among the h differing bits, and the
    number of flipped bits among the other L - h. The privacy blanket, a distribution that other
    people's reports have with some probability for any vector, is a uniform vector. If all other
    people have v, only the h differing bits matter: the other bits have equal distributions under u
    and v.
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
    """Return the report distributions of bit vectors u and v if all other people have x.

    u and v differ in h bits; q is the probability of a flip. x agrees with u in j of the h bits,
    and is inverted in r of the other bits. An outcome is three numbers of bits of a report. They
    count the bits equal to u among the j bits and among the other h - j, and the bits equal to x
    among the r bits.
    """
    p = 1 - q

    def law(*truths: float) -> Floats:
        """Return the joint distribution of the numbers of agreeing bits in three groups.

        The groups have j, h - j and r bits. truths: the probability that a bit agrees, for each
        group.
        """
        laws = [
            [comb(bit_count, i) * t**i * (1 - t) ** (bit_count - i) for i in range(bit_count + 1)]
            for bit_count, t in zip((j, h - j, r), truths, strict=True)
        ]
        return np.array([prod(chances) for chances in product(*laws)], np.float64)

    return PairLaw.over(law(p, q, p), law(p, p, q), law(q, q, q), shared=law(0.5, 0.5, 0.5))


def clone_neighbours(epsilon: float) -> Neighbours:
    """Return report distributions with a blanket that serve for any randomizer of an epsilon.

    A privacy blanket is a distribution that another person's report has with some probability for
    any value. The report distribution of every value is at least e^-eps times the mean of the
    distributions of u and v. So with probability e^-eps another person's report is that of u or v,
    at random (a clone). Any two distributions with this local epsilon are a processing of
    randomized response on two values. (V. Feldman, A. McMillan, K. Talwar, FOCS 2021; P. Kairouz,
    S. Oh, P. Viswanath, 2015.)
    """
    lie = 1 / (1 + exp(epsilon))
    u, v = np.array([1 - lie, lie]), np.array([lie, 1 - lie])
    return PairLaw.over(np.full(2, 0.5), u, v, exp(-epsilon)), []
