"""Deltas of one pair of values after shuffling, from a law that the others' reports have.

The formulas are in `amplification.py`: with the blanket an upper bound, with the law of one value
a lower one.
"""

from collections.abc import Sequence
from math import exp

import numpy as np

from ..randomizers.neighbour_laws import PairLaw
from ..validation import Floats
from .iid_sums import at_least, at_most

# Lattice points to a deviation: bounds here differ by far more than what finer ones would give.
FINE = 32.0


def most_delta(pair: PairLaw, n: int, epsilon: float) -> float:
    """Upper bound of the delta of a pair of neighbours among n reports."""
    return at_most(*_terms(pair, epsilon), n, FINE) / (n * pair.weight)


def least_delta(pair: PairLaw, n: int, epsilon: float, beyond: float = 0.0) -> float:
    """Lower bound of the pair's delta, in the worse of both directions; for w = 1.

    Where it is not above `beyond` it may be 0.
    """
    there, scale = _terms(pair, epsilon), n * pair.weight
    back = _terms(PairLaw(pair.weight, pair.law, pair.other, pair.own), epsilon)
    best = at_least(*there, n, FINE, beyond * scale)
    if not _alike(there, back):
        best = max(best, at_least(*back, n, FINE, max(best, beyond * scale)))
    return best / scale


def _alike(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> bool:
    """Whether two laws are one, but for rounding and the order of their atoms."""
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (first, second)]
    return all(
        np.allclose(mine[order[0]], other[order[1]], rtol=1e-12, atol=1e-15)
        for mine, other in zip(first, second, strict=True)
    )


def _terms(pair: PairLaw, epsilon: float) -> tuple[Floats, Floats]:
    atoms = pair.own - exp(epsilon) * pair.other
    return np.append(atoms, 0.0), np.append(pair.weight * pair.law, 1 - pair.weight)


def telling(pairs: Sequence[PairLaw]) -> list[PairLaw]:
    """The two pairs whose others hide the doubted person least, in a large crowd."""
    spread = {id(pair): float(pair.law @ (pair.own - pair.other) ** 2) for pair in pairs}
    return sorted(pairs, key=lambda pair: -spread[id(pair)])[:2]
