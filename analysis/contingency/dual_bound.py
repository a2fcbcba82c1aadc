"""A bound on the worst case that can be checked with whole numbers alone.

The worst case is the most exposed people (in cells of fewer than k) over all tables x with given
margins, A x = b. Give every entry i of the margins a weight p_i of either sign, and every cut "at
least need_r of these cells are not exposed" (`cuts.py`) a weight m_r >= 0. With e the exposed
people of a table x and w the cells that are not exposed, A x = b and sum_{c in r} w(c) >= need_r
give

    exposed  =  sum_c e(c)  <=  p.b - m.need + sum_c [ e(c) - p(c) x(c) + m(c) w(c) ]

where p(c) and m(c) add the weights of the margins and cuts that contain c. Each bracket is at most

    max{ u(c) max(0, 1 - p(c)),   m(c) - k p(c),   m(c) - cap(c) p(c) }

(exposed with 0..u(c) people; not exposed with k..cap(c), linear in between; the last two only if
the cell can be unexposed). The right side is a bound for ALL weights. Weights are whole multiples
of 1 / SCALE, so it is evaluated without rounding, and rounded down at the end because people are
whole. Good weights are the multipliers of the linear relaxation of the worst case: with them the
bound is the value of that relaxation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..optimization import Constraint, solve_linear
from ..validation import Counts, Floats
from .cuts import Block, Cut, Cuts
from .frechet import FrechetClass
from .integer_program import FrechetProgram
from .prices import find_prices

# Dual weights are whole multiples of 1 / SCALE, so that the bound that they prove is exact.
SCALE = 1 << 24


@dataclass(frozen=True, slots=True)
class Weights:
    """A proof of an upper bound on the people exposed in any table with given margins.

    It has a weight, times `SCALE`, for each margin's entry and for some blocks (sets of cells of
    which some must be unexposed).

    Attributes:
        margins: one for each entry of every margin, in order.
        blocks: each with its weight, at least 0.
    """

    margins: tuple[int, ...]
    blocks: tuple[tuple[Block, int], ...]


def certified_people(tables: FrechetClass, k: int, weights: Weights) -> int:
    """Return the upper bound on exposed people that dual weights prove, in exact arithmetic.

    It holds for every table of the class. k: people in the smallest cell that is not exposed.
    """
    cuts = Cuts(tables, k)
    prices = np.array(weights.margins, dtype=object)
    total = prices @ _totals(tables).astype(object)
    reward = np.zeros(tables.cells, dtype=object)
    for block, weight in weights.blocks:
        cut = cuts.cut(block)
        total -= max(weight, 0) * cut.need
        reward[cut.cells] += max(weight, 0)
    price = np.zeros(tables.cells, dtype=object)
    start = 0
    for margin in tables.margins:
        stop = start + margin.counts.size
        price += prices[start:stop][tables.place(margin.group)]
        start = stop
    return int(total + _brackets(tables, k, price, reward).sum()) // SCALE


def relaxed_weights(tables: FrechetClass, k: int, cuts: Sequence[Cut]) -> Weights:
    """Return the dual weights of the linear relaxation of the worst case with these cuts.

    Cuts are inequalities that every table meets. Weights are whole multiples of 1 / SCALE;
    `certified_people` computes the bound that they prove.
    """
    from scipy.sparse import vstack

    program = FrechetProgram(tables, k)
    margins, *other_constraints = program.constraints(cuts, 0)[:5]
    rows, tops = zip(*map(_at_most, other_constraints), strict=True)
    bounds: Any = np.stack(program.bounds(), axis=1)
    equal: Any = margins.A
    solution = solve_linear(
        program.objective(),
        A_eq=equal,
        b_eq=np.asarray(margins.lb),
        A_ub=vstack(rows),
        b_ub=np.concatenate(tops),
        bounds=bounds,
        method="highs",
    )
    if solution.x is None:
        return Weights((0,) * len(_totals(tables)), ())
    assert solution.upper_marginals is not None  # noqa: S101 - solved
    assert solution.equal_marginals is not None  # noqa: S101
    block_prices = _whole(-solution.upper_marginals[len(solution.upper_marginals) - len(cuts) :])
    blocks = tuple((cut.block, m) for cut, m in zip(cuts, block_prices, strict=True) if m > 0)
    return Weights(tuple(_whole(-solution.equal_marginals)), blocks)


def priced_weights(tables: FrechetClass, k: int) -> Weights | None:
    """Return dual weights that prove a bound on exposed people, faster than `relaxed_weights`.

    They come from a smaller relaxation with three cases per cell (`prices.py`), and prove the same
    bound as `relaxed_weights` with all cuts (inequalities that every table meets), except for
    rounding.

    Returns:
        None if the rounds did not suffice to find every violated inequality.
    """
    best = find_prices(tables, k)
    if not best.settled:
        return None
    prices = _whole(np.array([price for _, price in best.blocks], np.float64))
    blocks = [block for block, _ in best.blocks]
    priced_blocks = tuple((block, m) for block, m in zip(blocks, prices, strict=True) if m > 0)
    return Weights(tuple(_whole(best.margins)), priced_blocks)


def _at_most(constraint: Constraint) -> tuple[Any, Floats]:
    """Return a one-sided constraint as matrix A and limits: A x <= limits for variables x."""
    A: Any = constraint.A
    sign = -1 if np.all(np.isinf(constraint.ub)) else 1
    edge = constraint.ub if sign == 1 else -np.asarray(constraint.lb)
    return sign * A, np.broadcast_to(np.asarray(edge, np.float64), (A.shape[0],))


# As a cross-check, the bound on each cell's term is implemented again, on purpose, in
# composition/check_margins.py proved_people (verified), composition/check_cases.py leaf_people
# (verified).
def _brackets(tables: FrechetClass, k: int, price: Counts, reward: Counts) -> Counts:
    """Return the most that each cell can add to the bound, times SCALE, as Python integers.

    It is the bracket of the module's formula.

    price: sum of the weights of the cell's margin entries, p(c), times SCALE.

    reward: sum of the weights of the cuts that contain the cell, m(c), times SCALE.
    """
    caps, is_always_exposed = tables.caps(), tables.always_exposed(k)
    exposed = np.where(is_always_exposed, caps, np.minimum(caps, k - 1)).astype(object)
    best = exposed * np.maximum(SCALE - price, 0)
    for people in (k, caps.astype(object)):
        open_cell = reward - people * price
        best = np.where(is_always_exposed, best, np.maximum(best, open_cell))
    return best


def _totals(tables: FrechetClass) -> Counts:
    """Return the entries of all margins as one vector: the totals b of the equations A x = b.

    x are the people of the cells of a table.
    """
    return np.concatenate([margin.counts.ravel() for margin in tables.margins])


def _whole(weights: Floats) -> list[int]:
    """Return dual weights as whole multiples of 1 / SCALE, so that their bound is exact."""
    return [round(float(weight) * SCALE) for weight in weights]
