"""Neighbours of products and mixtures, from the neighbours of their parts.

If a part treats all values alike (`Pure`, one kind of neighbours), the laws of any two of them and
of its blanket are known. Independent parts multiply, and parts that are drawn stand side by side:

    product    w = prod w_j,         b = product of b_j,           P_u / b = prod P_u^j / b_j
    mixture    w = sum s_j w_j,      b = s_j w_j b_j / w at j,     P_u / b = (w / w_j) P_u^j / b_j

All other people may have any values: each part's blanket is below the law of each value. The lower
bound of a mixture lets other people have v; that of a product also a third value, if each part has
one kind of these.

One feature of several, drawn by each person, is a mixture with parts that see different values.
Rows u and v that differ in every feature bound all other pairs. Proof: if u and v agree in a
feature, its part of a term is

    X = (1 - e^eps) r,    X' = r - e^eps r'  if they differ,    r, r' = P_u / b, P_v / b

Under b the pair (r, r') has the law of (r', r). So X is (1 - e^eps) r or (1 - e^eps) r', and X' is
r - e^eps r' or r' - e^eps r, with equal chances: the same sum, farther apart. X' is larger
in convex order, as are sums of independent terms and the mean of their positive part.
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

# Outcomes of a product that are listed.
MOST_OUTCOMES = 1 << 14
# Relative distance of numbers that are the same.
TOLERANCE = 1e-9


def product_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Neighbours of all parts together; None if a part treats values differently."""
    cases = _aligned_neighbours(parts)
    if cases is None or prod(len(blanket.law) for blanket, _ in cases) > MOST_OUTCOMES:
        return None
    blanket = _multiplied([blanket for blanket, _ in cases])
    # A third value is one in every part: if a part has two kinds, their combination is unknown.
    thirds = [equals[1:] for _, equals in cases]
    if any(len(kinds) > 1 for kinds in thirds):
        cases = [(common, [replace(equals[0], shared=None)]) for common, equals in cases]
        thirds = []
    pairs = [[equals[0] for _, equals in cases], *zip(*thirds, strict=True)]
    return [(blanket, [_multiplied(pair_group) for pair_group in pairs])]


def mixture_neighbours(shares: Floats, parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Neighbours of a part drawn by its share; None if a drawn part treats values differently."""
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
    """Neighbours of a report about one feature, drawn uniformly; None if values are not alike."""
    cases = _aligned_neighbours(parts)
    if cases is None or not all(_is_symmetric(blanket) for blanket, _ in cases):
        return None
    return mixture_neighbours(np.full(len(parts), 1 / len(parts)), parts)


def _is_symmetric(pair: PairLaw) -> bool:
    """Whether the joint law of both likelihood ratios stays the same if they are exchanged."""
    ratios = np.column_stack([pair.u_ratios, pair.v_ratios])

    def chances(own_ratios: Floats) -> Floats:
        is_equal = np.isclose(ratios[None], own_ratios[:, None], rtol=TOLERANCE, atol=0.0).all(
            axis=2
        )
        return np.asarray(is_equal @ pair.law)

    return bool(np.allclose(chances(ratios), chances(ratios[:, ::-1]), rtol=TOLERANCE, atol=0.0))


def _aligned_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """The one kind of neighbours that each part has, hidden at all outcomes."""
    aligned_cases = []
    for part in parts:
        if not isinstance(part, Pure) or len(cases := part.neighbours()) != 1:
            return None
        blanket, equals = cases[0]
        # P_v / b is 1 if other people have v, so v is their value in every part.
        first = [pair for pair in equals if (pair.v_ratios == 1).all()]
        has_blanket = not any(pair.bare.size for pair in (blanket, *equals))
        if not first or not has_blanket:
            return None
        aligned_cases.append(
            (blanket, first[:1] + [pair for pair in equals if pair is not first[0]])
        )
    return aligned_cases


def _multiplied(pairs: Sequence[PairLaw]) -> PairLaw:
    def outer(laws: Sequence[Floats]) -> Floats:
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
