"""Report distributions of two inputs, for products and mixtures of randomizers.

u and v are two values of a person, and P_u and P_v the distributions of the report. Every other
person's report, for any value, is with probability w drawn from a distribution b, the privacy
blanket (`neighbour_laws.py`). A product or mixture is made of randomizers, its parts. For a part
for which all pairs of values are alike, w, b, P_u and P_v are known. The product's follow by
multiplication. The outcomes of a mixture, in which part j is drawn with probability s_j, are pairs
of j and an outcome of part j:

    product    w = prod w_j,         b = product of b_j,           P_u / b = prod P_u^j / b_j
    mixture    w = sum s_j w_j,      b = s_j w_j b_j / w at j,     P_u / b = (w / w_j) P_u^j / b_j

These blankets are valid for any values of all other people. For the lower bound of a mixture all
other people have v. For that of a product they have v, or a third value z in each part, if z is
related to u and v in the same way in every case.

A report about a feature that each person draws is a mixture, but its parts receive different
values. Let u and v be rows of values, one for each feature. Rows that differ in every feature are
the worst case. Proof: in a feature, delta at epsilon is a mean over outcomes of the positive part
of a sum with the term X if u and v agree there, X' if they differ:

    X = (1 - e^eps) r,    X' = r - e^eps r',    r, r' = P_u / b, P_v / b

Under b the pair (r, r') has the same distribution as (r', r). So X is (1 - e^eps) r or
(1 - e^eps) r' with equal probabilities, and X' is r - e^eps r' or r' - e^eps r. The two values of
X' have the same sum as the two of X and are farther apart, so X' is larger in convex order. So are
sums of independent terms, and the means of their positive parts.
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

# Most combinations of the parts' outcomes that are listed for a product. For more, bounds come from
# the matrix or from epsilon alone.
MOST_OUTCOMES = 1 << 14
# Relative difference up to which two likelihood ratios or probabilities count as equal, because
# rounding errors may make equal numbers differ.
TOLERANCE = 1e-9


def product_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return the report distributions of two inputs for all `parts` together, for shuffling bounds.

    None if for a part not all pairs of values are alike, or if the parts together have more than
    `MOST_OUTCOMES` outcomes.
    """
    cases = _aligned_neighbours(parts)
    if cases is None or prod(len(blanket.law) for blanket, _ in cases) > MOST_OUTCOMES:
        return None
    blanket = _multiplied([blanket for blanket, _ in cases])
    # All other people may have a third value, different from the attacked person's two values, in
    # each randomizer. In some randomizers there are two kinds of third values, related differently
    # to the two values. Then the kinds' combination across randomizers is unknown, so third values
    # are not used.
    thirds = [equals[1:] for _, equals in cases]
    if any(len(kinds) > 1 for kinds in thirds):
        cases = [(common, [replace(equals[0], shared=None)]) for common, equals in cases]
        thirds = []
    pairs = [[equals[0] for _, equals in cases], *zip(*thirds, strict=True)]
    return [(blanket, [_multiplied(pair_group) for pair_group in pairs])]


def mixture_neighbours(shares: Floats, parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return the report distributions of two inputs for a mixture, for shuffling bounds.

    None if, for a part with a positive share, not all pairs of values are alike.

    shares: the probability that each part (a randomizer) is drawn.
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
    """Return the report distributions of two rows for a report about a uniformly drawn feature.

    The two rows have different values in every feature. None if for a part not all pairs of values
    are alike.

    parts: the randomizer of each feature.
    """
    cases = _aligned_neighbours(parts)
    if cases is None or not all(_is_symmetric(blanket) for blanket, _ in cases):
        return None
    return mixture_neighbours(np.full(len(parts), 1 / len(parts)), parts)


def _is_symmetric(pair: PairLaw) -> bool:
    """Whether two values u and v of a person can be exchanged in the likelihood ratios of a report.

    The report is drawn from the privacy blanket b, a part of other people's reports that any value
    has. P_u and P_v are the report distributions of u and v. The values can be exchanged if the
    pair (P_u/b, P_v/b) has the same distribution as (P_v/b, P_u/b).
    """
    ratios = np.column_stack([pair.u_ratios, pair.v_ratios])

    def chances(own_ratios: Floats) -> Floats:
        """Return, for each given pair of numbers, the probability that a report has this pair.

        The pair of a report is (P_u/b, P_v/b): its probability if the person has the value u, and
        if the person has the value v, each divided by its probability under the privacy blanket b.
        The report is drawn from b. `ratios` lists the pairs of the possible outcomes, and
        `pair.law` their probabilities. Pairs that differ by rounding errors count as equal.

        own_ratios: the given pairs, shape (pairs, 2).
        """
        is_equal = np.isclose(ratios[None], own_ratios[:, None], rtol=TOLERANCE, atol=0.0).all(
            axis=2
        )
        return np.asarray(is_equal @ pair.law)

    return bool(np.allclose(chances(ratios), chances(ratios[:, ::-1]), rtol=TOLERANCE, atol=0.0))


def _aligned_neighbours(parts: Sequence[Randomizer]) -> list[Neighbours] | None:
    """Return each part's report distributions of two values u and v of a person.

    First in each list is the case in which all other people have the value v. None if not all pairs
    of values of a part are alike. None too if an outcome is impossible under the privacy blanket,
    the part of other people's reports that does not depend on their values.

    parts: the randomizers of a product or mixture.
    """
    aligned_cases = []
    for part in parts:
        if not isinstance(part, Pure) or len(cases := part.neighbours()) != 1:
            return None
        blanket, equals = cases[0]
        # The pair in which v's report is distributed as other people's (ratio 1 at each outcome) is
        # the case that all other people have v. It comes first for every part, so that the parts'
        # pairs can be combined.
        first = [pair for pair in equals if (pair.v_ratios == 1).all()]
        has_blanket = not any(pair.bare.size for pair in (blanket, *equals))
        if not first or not has_blanket:
            return None
        aligned_cases.append(
            (blanket, first[:1] + [pair for pair in equals if pair is not first[0]])
        )
    return aligned_cases


def _multiplied(pairs: Sequence[PairLaw]) -> PairLaw:
    """Return the report distributions of independent randomizers as a single pair.

    Its outcomes are the combinations of the randomizers' outcomes.

    pairs: the report distributions of two values for each randomizer.
    """

    def outer(laws: Sequence[Floats]) -> Floats:
        """Return the joint distribution of independent outcomes, flattened.

        laws: the distribution of each outcome. The last outcome varies fastest in the result.
        """
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
    """Return the report distributions of a mixture of randomizers as a single pair.

    An outcome is a drawn randomizer and an outcome of its distributions.

    shares: the probability that each randomizer is drawn.
    pairs: the report distributions of two values for each randomizer.
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
