"""A bound on the worst case of exposure that can be checked with whole numbers alone.

A cell of fewer than k people exposes its people. The worst case is the most exposed people over all
tables x with given margins, A x = b. Each entry i of the margins gets a weight p_i of either sign.
A cut (`cuts.py`) says that at least need_r of some cells are not exposed in any such table; each
cut r gets a weight m_r >= 0. Let e(c) be the exposed people of cell c, and w(c) = 1 if c is not
exposed, else 0. Then A x = b and sum_{c in r} w(c) >= need_r give

    exposed  =  sum_c e(c)  <=  p.b - m.need + sum_c [ e(c) - p(c) x(c) + m(c) w(c) ]

where p(c) and m(c) add up the weights of the margin entries and cuts that contain c. With u(c) the
most people of c while it is exposed, and cap(c) the most it can hold, each bracket is at most

    max{ u(c) max(0, 1 - p(c)),   m(c) - k p(c),   m(c) - cap(c) p(c) }

The first number is for an exposed cell with 0..u(c) people. The next two are for an unexposed cell
with k..cap(c) people, and are left out if the cell cannot be unexposed. The bracket is linear in
the people of the cell, so the ends of these ranges suffice. The right side is a bound for ALL
weights. Weights are whole multiples of 1 / SCALE, so the bound is evaluated without rounding, and
rounded down at the end because people are whole. Good weights are the multipliers of the linear
relaxation of the worst case: with them the bound is the value of that relaxation.
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

# The weights of margin equations and cuts (the inequalities of blocks) are whole multiples of 1 /
# SCALE, so that the bound that they prove is exact.
SCALE = 1 << 24


@dataclass(frozen=True, slots=True)
class Weights:
    """A proof of an upper bound on the people exposed in any table with given margins.

    Every table meets an equation for each margin entry, and for some blocks (sets of cells) the
    inequality that some of their cells are unexposed. Added up with these weights, they bound the
    exposed people. Weights are whole numbers, to be divided by `SCALE`.

    Attributes:
        margins: the weight of each entry of every margin, in order, of either sign.
        blocks: blocks, each with its weight, at least 0.
    """

    margins: tuple[int, ...]
    blocks: tuple[tuple[Block, int], ...]


def certified_people(tables: FrechetClass, k: int, weights: Weights) -> int:
    """Return the upper bound on exposed people that these weights prove, in exact arithmetic.

    It holds for every table of the class.

    Args:
        tables: the class of all tables with given margins.
        k: people in the smallest cell that is not exposed.
        weights: a weight for each margin entry, and for sets of cells of which some are unexposed.
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
    """Return the weights that prove the bound of the linear relaxation of the worst case.

    The worst case is the most people in cells of fewer than k. The weights are the multipliers of
    the relaxation's constraints, in whole multiples of 1 / SCALE. `certified_people` computes the
    bound that they prove.

    Args:
        tables: the class of all tables with given margins.
        k: people in the smallest cell that is not exposed.
        cuts: inequalities that every table meets; each gets a weight.

    Returns:
        The weights; all are 0 if the solver finds no optimum.
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
    """Return weights that prove a bound on exposed people, faster than `relaxed_weights`.

    They are the multipliers of a smaller linear relaxation: in it a cell is exposed and full,
    unexposed with k people, or unexposed with the most people it can hold (`prices.py`). Except for
    rounding, they prove the same bound as `relaxed_weights` with all cuts, the inequalities that
    every table meets.

    Args:
        tables: the class of all tables with given margins.
        k: people in the smallest cell that is not exposed.

    Returns:
        The weights; None if some inequality is still violated after the largest number of rounds.
    """
    best = find_prices(tables, k)
    if not best.settled:
        return None
    prices = _whole(np.array([price for _, price in best.blocks], np.float64))
    blocks = [block for block, _ in best.blocks]
    priced_blocks = tuple((block, m) for block, m in zip(blocks, prices, strict=True) if m > 0)
    return Weights(tuple(_whole(best.margins)), priced_blocks)


def _at_most(constraint: Constraint) -> tuple[Any, Floats]:
    """Return a one-sided constraint as a matrix A and limits: A x <= limits for variables x."""
    A: Any = constraint.A
    sign = -1 if np.all(np.isinf(constraint.ub)) else 1
    edge = constraint.ub if sign == 1 else -np.asarray(constraint.lb)
    return sign * A, np.broadcast_to(np.asarray(edge, np.float64), (A.shape[0],))


# As a cross-check, the most that a cell can add to the bound is implemented again, on purpose, in
# composition/check_margins.py proved_people (verified), composition/check_cases.py leaf_people
# (verified).
def _brackets(tables: FrechetClass, k: int, price: Counts, reward: Counts) -> Counts:
    """Return the most that each cell can add to the bound on exposed people, times SCALE.

    With p and m the cell's price and reward, an exposed cell with x people adds x (1 - p). An
    unexposed cell with x people (k or more) adds m - x p. The result is the maximum over both, as
    Python integers.

    Args:
        tables: the class of all tables with given margins.
        k: people in the smallest cell that is not exposed.
        price: for each cell, the sum p of the weights of its margin entries, times SCALE.
        reward: for each cell, the sum m of the weights of the cuts (sets of cells of which some
            must be unexposed) that contain it, times SCALE.
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

    The entries of x are the people in the cells of a table.
    """
    return np.concatenate([margin.counts.ravel() for margin in tables.margins])


def _whole(weights: Floats) -> list[int]:
    """Return weights in whole multiples of 1 / SCALE, so that the proved bound is exact."""
    return [round(float(weight) * SCALE) for weight in weights]
