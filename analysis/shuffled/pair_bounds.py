"""Bounds of delta after shuffling, for one pair of values of the doubted person.

The attacker wants to know which of the two values the person has. Other people's reports hide the
person. Every value gives reports from a common distribution with some probability, the privacy
blanket; it leads to an upper bound of delta. The report distribution of one value, which all other
people then have, leads to a lower bound. The formulas are in `amplification.py`.
"""

from collections.abc import Sequence
from math import exp

import numpy as np

from ..randomizers.neighbour_laws import PairLaw
from ..validation import Floats
from .iid_sums import at_least, at_most

# Lattice points per standard deviation of one summand. A finer lattice would gain far less than the
# difference of the lower and upper bounds.
FINE = 32.0


def max_delta(
    pair: PairLaw, n: int, epsilon: float, beyond: float = 0.0, fine: float = FINE
) -> float:
    """Return an upper bound of delta for two values of one person among n reports.

    The attacker tries to learn from the shuffled reports which of the two values the person has.

    Args:
        pair: the report distributions of the two values, relative to the privacy blanket (the
            distribution that other people's reports have with probability `pair.weight`, for any
            value). If the weight is 0, no other report hides the person, and delta is the local
            delta.
        n: reports, >= 1.
        epsilon: nats, > 0.
        beyond: a result of at most this may be a coarser bound, which is faster to compute.
        fine: lattice points per standard deviation of one summand.
    """
    if pair.weight <= 0:
        return pair.local_delta(epsilon)
    never_mass, scale = pair.never(epsilon), n * pair.weight
    rough = max(0.0, beyond - never_mass) * scale
    return never_mass + at_most(*_terms(pair, epsilon), n, fine, beyond=rough) / scale


def min_delta(
    pair: PairLaw, n: int, epsilon: float, beyond: float = 0.0, fine: float = FINE
) -> float:
    """Return a lower bound of delta for two values of one person among n reports.

    The bound is the larger of both directions: the first value against the second, and the reverse.

    Args:
        pair: the report distributions of the two values, relative to the distribution by which all
            other people report (weight 1).
        n: reports, >= 1.
        epsilon: nats, > 0.
        beyond: the result may be 0 if the bound is not above this.
        fine: lattice points per standard deviation of one summand.
    """
    back = pair.reversed()
    first, second = _terms(pair, epsilon), _terms(back, epsilon)
    scale, nevers = n * pair.weight, [pair.never(epsilon), back.never(epsilon)]
    best = nevers[0] + at_least(*first, n, fine, max(0.0, beyond - nevers[0]) * scale) / scale
    if nevers[0] != nevers[1] or not _are_equal_laws(first, second):
        beyond = max(best, beyond)
        rest = at_least(*second, n, fine, max(0.0, beyond - nevers[1]) * scale) / scale
        best = max(best, nevers[1] + rest)
    return best


def _are_equal_laws(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> bool:
    """Whether two distributions are equal, up to rounding and the order of their values.

    A distribution is given as an array of values and an array of their probabilities.
    """
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (first, second)]
    return all(
        np.allclose(mine[order[0]], second_atoms[order[1]], rtol=1e-12, atol=1e-15)
        for mine, second_atoms in zip(first, second, strict=True)
    )


def _terms(pair: PairLaw, epsilon: float) -> tuple[Floats, Floats]:
    """Return values and probabilities of the random summand whose sum over n people bounds delta.

    The summand is B X, X = (P_u - e^eps P_v) / b at a report drawn from b. P_u and P_v are the
    report distributions of the two possible values u and v of the attacked person. b is the
    distribution that another person's report has with probability `pair.weight`, for any value; B
    is 1 with this probability, else 0.
    """
    atoms = pair.u_ratios - exp(epsilon) * pair.v_ratios
    return np.append(atoms, 0.0), np.append(pair.weight * pair.law, 1 - pair.weight)


def telling(pairs: Sequence[PairLaw]) -> list[PairLaw]:
    """Return the two pairs of values that are hardest to hide in a large crowd.

    A pair is hard to hide if the reports of its two values differ much.
    """

    def spread(pair: PairLaw) -> tuple[float, float]:
        """Return a sort key: how far the report distributions of the pair's two values differ.

        First comes the probability of reports that no other person can send. Then comes the
        chi-square distance of all other reports, relative to the distribution of other people's
        reports.
        """
        return float(pair.bare.sum()), float(pair.law @ (pair.u_ratios - pair.v_ratios) ** 2)

    return sorted(pairs, key=spread, reverse=True)[:2]
