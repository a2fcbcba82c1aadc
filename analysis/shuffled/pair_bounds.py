"""Bounds of delta for one pair of values after shuffling, from a law of other people's reports.

The formulas are in `amplification.py`: with the privacy blanket an upper bound, with the law of a
value a lower bound.
"""

from collections.abc import Sequence
from math import exp

import numpy as np

from ..randomizers.neighbour_laws import PairLaw
from ..validation import Floats
from .iid_sums import at_least, at_most

# Lattice points per standard deviation of one term: lower and upper bounds differ by far more than
# a finer lattice would gain.
FINE = 32.0


def max_delta(
    pair: PairLaw, n: int, epsilon: float, beyond: float = 0.0, fine: float = FINE
) -> float:
    """Return an upper bound of the delta of a pair of neighbours among n reports.

    Args:
        pair: the laws of two values' reports over the privacy blanket, the known part of other
            people's reports; with a weight of 0 the doubted person is not hidden.
        n: reports, >= 1.
        epsilon: nats, > 0.
        beyond: a bound of at most this may be a rough bound.
        fine: lattice points per deviation.
    """
    if pair.weight <= 0:
        return pair.local_delta(epsilon)
    never_mass, scale = pair.never(epsilon), n * pair.weight
    rough = max(0.0, beyond - never_mass) * scale
    return never_mass + at_most(*_terms(pair, epsilon), n, fine, beyond=rough) / scale


def min_delta(
    pair: PairLaw, n: int, epsilon: float, beyond: float = 0.0, fine: float = FINE
) -> float:
    """Return a lower bound of the pair's delta among n reports, in the worse of both directions.

    For a law of weight 1: all other people report by it. Where the bound is not above `beyond` it
    may be 0.
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
    """Whether two laws are equal, up to rounding and the order of their atoms."""
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (first, second)]
    return all(
        np.allclose(mine[order[0]], second_atoms[order[1]], rtol=1e-12, atol=1e-15)
        for mine, second_atoms in zip(first, second, strict=True)
    )


def _terms(pair: PairLaw, epsilon: float) -> tuple[Floats, Floats]:
    """Return atoms and probabilities of B X; its sum over n people bounds delta.

    X = (P_u - e^eps P_v) / b at a report from the common law b, with P_u and P_v the laws of the
    doubted person's two values; B is 1 with the probability `weight` of a report by the common law.
    """
    atoms = pair.u_ratios - exp(epsilon) * pair.v_ratios
    return np.append(atoms, 0.0), np.append(pair.weight * pair.law, 1 - pair.weight)


def telling(pairs: Sequence[PairLaw]) -> list[PairLaw]:
    """Return the two pairs whose attacked person is hidden least, in a large crowd."""

    def spread(pair: PairLaw) -> tuple[float, float]:
        """Return a sort key of a pair: how far the reports by the two doubted values differ.

        First the probability of reports that no other person can send, then the chi-square distance
        of the other reports.
        """
        return float(pair.bare.sum()), float(pair.law @ (pair.u_ratios - pair.v_ratios) ** 2)

    return sorted(pairs, key=spread, reverse=True)[:2]
