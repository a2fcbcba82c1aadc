"""Report distributions of two inputs, for products and mixtures of randomizers.

`neighbour_laws.py` defines the terms: u and v are two values of one person, P_u and P_v the
distributions of its report; the privacy blanket b is a distribution that every other person's
report has with probability w for any value. If a part treats all values alike (`Pure`, a single
kind of neighbours), these are known for any two values. Independent parts multiply, and parts that
are drawn with probabilities s_j stand side by side:

    product    w = prod w_j,         b = product of b_j,           P_u / b = prod P_u^j / b_j
    mixture    w = sum s_j w_j,      b = s_j w_j b_j / w at j,     P_u / b = (w / w_j) P_u^j / b_j

All other people may have any values: each part's blanket is below the distribution of each value.
The lower bound of a mixture lets other people have v; that of a product also a third value, if each
part has one kind of these.

A report about one feature of several, drawn by each person, is a mixture with parts that receive
different values. Rows u and v that differ in every feature bound all other pairs. Proof: if u and v
agree in a feature, its part of a term is

    X = (1 - e^eps) r,    X' = r - e^eps r'  if they differ,    r, r' = P_u / b, P_v / b

Under b the pair (r, r') has the same distribution as (r', r). So X is (1 - e^eps) r or (1 - e^eps)
r', and X' is r - e^eps r' or r' - e^eps r, with equal chances: the same sum, farther apart. X' is
larger in convex order, as are sums of independent terms and the mean of their positive part.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import prod

import numpy as np

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw
from .pure import Pure
from .randomizer import Randomizer

# Most joint outcomes of a product that are listed.
MOST_OUTCOMES = 1 << 14
# Relative difference up to which two numbers count as equal.
TOLERANCE = 1e-9


def product_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return the report distributions of two inputs for all `parts` together, for shuffling bounds.

    None if a part treats values differently, or if the parts have too many joint outcomes.
    """
    cases = _aligned_neighbours(parts)
    if cases is None or prod(len(blanket.law) for blanket, _ in cases) > MOST_OUTCOMES:
        return None
    blanket = _multiplied([blanket for blanket, _ in cases])
    # Other people's third value is a value of every part. If a part has two kinds of third values,
    # their combination across parts is unknown, so third values are not used.
    thirds = [equals[1:] for _, equals in cases]
    if any(len(kinds) > 1 for kinds in thirds):
        cases = [(common, [replace(equals[0], shared=None)]) for common, equals in cases]
        thirds = []
    pairs = [[equals[0] for _, equals in cases], *zip(*thirds, strict=True)]
    return [(blanket, [_multiplied(pair_group) for pair_group in pairs])]


def mixture_neighbours(shares: Floats, parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return the report distributions of two inputs for a mixture, for shuffling bounds.

    shares: the probability that each part is drawn. None if a drawn part treats values differently.
    """
    used_parts = [
        (share, part) for share, part in zip(shares.tolist(), parts, strict=True) if share
    ]
    cases = _aligned_neighbours([part for _, part in used_parts])
    if cases is None:
        return None
    weights = [share for share, _ in used_parts]
    blanket = _joined(weights, [blanket for blanket, _ in cases])
    return [(blanket, [_joined(weights, [equals[0] for _, equals in cases])])]


def sampled_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return the report distributions of two rows for a report about one uniformly drawn feature.

    The two rows differ in every feature. None if a part treats values differently.
    """
    cases = _aligned_neighbours(parts)
    if cases is None or not all(_is_symmetric(blanket) for blanket, _ in cases):
        return None
    return mixture_neighbours(np.full(len(parts), 1 / len(parts)), parts)


def _is_symmetric(pair: PairLaw) -> bool:
    """Whether P_u/b and P_v/b have the same joint distribution after they are exchanged."""
    ratios = np.column_stack([pair.u_ratios, pair.v_ratios])

    def chances(own_ratios: Floats) -> Floats:
        """Return the probability of each outcome's pair of likelihood ratios, up to rounding."""
        is_equal = np.isclose(ratios[None], own_ratios[:, None], rtol=TOLERANCE, atol=0.0).all(
            axis=2
        )
        return np.asarray(is_equal @ pair.law)

    return bool(np.allclose(chances(ratios), chances(ratios[:, ::-1]), rtol=TOLERANCE, atol=0.0))


def _aligned_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return each part's report distributions of two values u and v, other people at v first.

    None if a part has several kinds of neighbours, or an outcome that the privacy blanket (the
    known part of other people's reports) does not hide.
    """
    aligned_cases = []
    for part in parts:
        if not isinstance(part, Pure) or len(cases := part.neighbours()) != 1:
            return None
        blanket, equals = cases[0]
        # If the ratio of v's law to other people's is always 1, other people have the value v: such
        # pairs of different parts describe the same population.
        first = [pair for pair in equals if (pair.v_ratios == 1).all()]
        has_blanket = not any(pair.bare.size for pair in (blanket, *equals))
        if not first or not has_blanket:
            return None
        aligned_cases.append(
            (blanket, first[:1] + [pair for pair in equals if pair is not first[0]])
        )
    return aligned_cases


def _multiplied(pairs: Sequence[PairLaw]) -> PairLaw:
    """Return the report distributions of independent parts as a single pair over joint outcomes."""

    def outer(laws: Sequence[Floats]) -> Floats:
        """Return the product of distributions over all combinations of outcomes, flattened."""
        return np.asarray(reduce(np.multiply.outer, laws).ravel())

    shared = [pair.shared for pair in pairs if pair.shared is not None]
    return PairLaw(
        prod(pair.weight for pair in pairs),
        outer([pair.law for pair in pairs]),
        outer([pair.u_ratios for pair in pairs]),
        outer([pair.v_ratios for pair in pairs]),
        outer(shared) if len(shared) == len(pairs) else None,
    )


def _joined(shares: Sequence[float], pairs: Sequence[PairLaw]) -> PairLaw:
    """Return the report distributions of a mixture: the parts' distributions side by side.

    shares: the probability that each part is drawn.
    """
    weight = sum(share * pair.weight for share, pair in zip(shares, pairs, strict=True))
    scales = [weight / pair.weight for pair in pairs]
    laws = [
        share / scale * pair.law for share, scale, pair in zip(shares, scales, pairs, strict=True)
    ]
    return PairLaw(
        weight,
        np.concatenate(laws),
        np.concatenate([scale * pair.u_ratios for scale, pair in zip(scales, pairs, strict=True)]),
        np.concatenate([scale * pair.v_ratios for scale, pair in zip(scales, pairs, strict=True)]),
    )
