"""Check, in whole numbers alone, a proof by cases that bounds the exposed people of any table.

A cell is exposed if it holds fewer than k people. The proof holds for all tables with given column
counts, and is a tree. A split divides a case, that is, a set of tables, into two: at most t of some
cells are unexposed, or at least t + 1. So every table is in the case of one leaf. A leaf has dual
prices, multipliers of a linear program. Every table of its case has at most this number of exposed
people:

    sum of people x price, of each value  -  sum of price x need, of each block
    +- price x limit, of each split above the leaf  +  the largest rest of each cell

The rest of a cell with x people is x - p x if it is exposed, and r - p x if not. p adds the prices
of the cell's values; r adds the prices of its blocks, and the prices of its splits with the
opposite sign. The rest is linear in x, so it is largest at an end of a range: 0 to u people if the
cell is exposed, k to cap if it is not. Splits of a single cell narrow ranges, and so do the counts:
the cells of a value hold exactly its people. The tree proves the largest bound of its leaves.

A block is a set of values and a number q. Cell c has the weight a(c) = (number of its values in the
block) - q. For every table of n people, with x(c) people in cell c,

    sum_c a(c) x(c) = sum of the counts of the block's values - q n.

Take all cells of positive weight as exposed with their most people, and cells of negative weight
with their fewest. If the sum is then D people too small, some cells of positive weight must be
unexposed. Each of them adds at most a(c) (cap - u). So `need` is the least number of largest such
terms that reaches D. (A block of check_margins.py has q = number of its columns - 1.)

Values of fewer than k people are merged into one value, the last of its column; its cells are
always exposed. Other values are numbered from the most frequent down, column after column. Prices
are whole multiples of 1 / SCALE. No code is shared with the search for a proof (case_search.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf
from typing import Any, NamedTuple

from ...errors import VerificationError
from ...strict_text import from_json

SCALE = 1 << 32
MOST_CELLS = 10_000  # a proof about tables with more cells (combinations of values) is refused
# Each value's count narrows the ranges of people that its cells may hold. The values are gone
# through this number of times, because a narrower range may narrow further ranges.
PASSES = 4

# The numbers (q, values) of a block, an inequality about the people of cells: each cell counts with
# the weight (number of its values in the block) - q.
Block = tuple[int, list[int]]
# A limit on the unexposed cells (of k people or more) in a set of cells: the cells, the limit, and
# whether it is an upper limit (else a lower limit). Several such limits define a case.
Case = tuple[list[int], int, bool]

# The least and the most people that a cell can hold: while it is exposed (holds fewer than k
# people), or while it is not.
Range = NamedTuple("Range", [("exposed", bool), ("low", int), ("high", int)])  # noqa: UP014 - short
# A value of a column: the number of its people, and the numbers of the cells that have it.
Value = tuple[int, list[int]]
# The class of all tables with given column counts: the number of people, the values of all columns,
# and for each cell its possible ranges of people.
Tables = NamedTuple(  # noqa: UP014 - short
    "Tables", [("n", int), ("values", list[Value]), ("ranges", list[list[Range]])]
)


def proved_by_cases(counts: Sequence[Sequence[int]], k: int, proof: bytes) -> int:
    """Return the upper bound on exposed people that this proof gives for any such table.

    Args:
        counts: people by value, for each column.
        k: people in the smallest crowd in which a person is not exposed, at least 1.
        proof: JSON with two lists, `blocks` and `tree`. A block [q, values] weights each cell by
            (number of its values in the block) - q. The counts of the values then imply how many
            cells of positive weight must be unexposed, that is, hold k people or more. `tree` has
            the nodes of a tree of cases (sets of tables) in preorder. ["split", cells, t] is
            followed by the nodes with at most t unexposed cells among these cells, then by the
            nodes with at least t + 1. A leaf is ["leaf", prices of the values, [block, price] of
            some blocks, prices of the splits above it]; prices are multipliers of a linear program.
            Cells are numbered with the last column fastest.

    Raises:
        VerificationError: the proof does not hold.
    """
    tables = tables_of(counts, k)
    try:
        parsed = from_json(proof)
        return min(tables.n, _tree_people(tables, parsed["blocks"], parsed["tree"]))
    except (TypeError, ValueError, KeyError, IndexError) as bad:
        raise VerificationError(f"proof by cases: the proof is invalid: {bad}") from None


def _tree_people(tables: Tables, sets: Any, tree: Any) -> int:
    """Return the largest bound on exposed people, in people, of all leaves of a proof's tree.

    Args:
        tables: the class of all tables with the given column counts.
        sets: the list of the proof's blocks [q, values], each an inequality about unexposed cells,
            as in `proved_by_cases`.
        tree: the nodes in preorder, splits and leaves, in the form of `proved_by_cases`.
    """
    blocks = [(_whole(q), [_whole(value, 0) for value in values]) for q, values in sets]
    worst, paths = 0, [tuple[Case, ...]()]
    for kind, *node in tree:
        path = paths.pop()
        if kind == "split":
            cells, limit = [_whole(cell, 0) for cell in node[0]], _whole(*node[1:])
            paths += [(*path, (cells, limit + 1, False)), (*path, (cells, limit, True))]
        elif kind == "leaf":
            worst = max(worst, leaf_people(tables, blocks, path, node))
        else:
            raise ValueError(f"tree: found a node {kind!r:.20}; split and leaf are accepted")
    if paths:
        raise ValueError(
            f"tree: {len(paths)} cases have no leaf; each needs a leaf with dual prices"
        )
    return worst


def tables_of(counts: Sequence[Sequence[int]], k: int) -> Tables:
    """Return the class of all tables with these column counts, by its values and cells.

    A cell has a range of people that it may hold if it is exposed (fewer than k), and perhaps a
    range if not. Values of fewer than k people are merged into one value, the last of its column.

    counts: people by value, for each column.
    """
    columns, rare = [], []
    for column in counts:
        frequent = sorted((people for people in column if people >= k), reverse=True)
        rare_people = sum(people for people in column if people < k)
        columns.append([*frequent, rare_people] if rare_people else frequent)
        rare.append(len(frequent))  # index of the merged value, if rare values occur
    cells = list(product(*map(range, map(len, columns))))
    if len({sum(column) for column in columns}) != 1 or k < 1 or len(cells) > MOST_CELLS:
        limits = f"k >= 1 and at most {MOST_CELLS:,} cells"
        raise VerificationError(
            f"proof by cases: needs columns whose counts have equal sums, {limits}"
        )
    ranges = []
    for cell in cells:
        cap = min(column[at] for column, at in zip(columns, cell, strict=True))
        is_always_exposed = cap < k or any(at == last for at, last in zip(cell, rare, strict=True))
        top = Range(exposed=True, low=0, high=cap if is_always_exposed else k - 1)
        ranges.append([top] if is_always_exposed else [top, Range(exposed=False, low=k, high=cap)])
    values = [
        (people, [i for i, cell in enumerate(cells) if cell[j] == value])
        for j, column in enumerate(columns)
        for value, people in enumerate(column)
    ]
    return Tables(sum(columns[0]), values, ranges)


# Three functions bound a cell's term of the dual bound, so that a mistake in one shows against the
# others. The term is implemented again, on purpose, in contingency/dual_bound.py _brackets
# (optimised), composition/check_margins.py proved_people (verified).
def leaf_people(tables: Tables, blocks: Sequence[Block], path: Sequence[Case], leaf: Any) -> int:
    """Return the upper bound on exposed people that a leaf's prices prove in its case.

    A case is a set of tables, at a leaf of the proof's tree; the result is 0 if it holds no table.

    Args:
        tables: the class of all tables with the given column counts.
        blocks: the blocks of the proof, inequalities about unexposed cells, as in
            `proved_by_cases`.
        path: the splits above the leaf: cells, a limit of unexposed cells among them, and whether
            it is an upper limit.
        leaf: prices (multipliers of a linear program) of the values, of some blocks, and of the
            splits.
    """
    ranges, total, (prices, block_prices, split_prices) = narrowed(tables, path), 0, leaf
    price, reward = [0] * len(tables.ranges), [0] * len(tables.ranges)
    for amount, (people, cells) in zip(prices, tables.values, strict=True):
        total += _whole(amount) * people
        for cell in cells:
            price[cell] += amount
    for number, amount in block_prices if ranges else ():
        inside, need = needed(tables, ranges, *blocks[number])
        if need > len(inside):
            return 0
        total -= _whole(amount, 0) * need
        for cell in inside:
            reward[cell] += amount
    for (cells, limit, at_most), amount in zip(path, split_prices, strict=True):
        signed = _whole(amount, 0) if at_most else -_whole(amount, 0)
        total += signed * limit
        for cell in cells:
            reward[cell] -= signed
    for cell_ranges, p, r in zip(ranges, price, reward, strict=bool(ranges)):
        total += max(
            people * (SCALE - p) if exposed else r - people * p
            for exposed, *ends in cell_ranges
            for people in ends
        )
    return max(0, total // SCALE) if ranges else 0


def narrowed(tables: Tables, path: Sequence[Case]) -> list[list[Range]]:
    """Return the ranges of people that each cell may hold in a case, a set of tables.

    The list is empty if no table is in the case. The ranges are narrowed by splits of a single
    cell, and by the counts of values.

    path: the splits that define the case, limits on the unexposed cells among some cells.
    """
    ranges = list(tables.ranges)
    for cells, limit, at_most in path:
        low, high = (0, limit) if at_most else (limit, 1)
        for cell in cells if len(cells) == 1 else ():
            ranges[cell] = [part for part in ranges[cell] if low <= (not part.exposed) <= high]
    for people, cells in tables.values * PASSES:
        if not all(ranges[cell] for cell in cells):
            return []
        lows = [min(part.low for part in ranges[cell]) for cell in cells]
        highs = [max(part.high for part in ranges[cell]) for cell in cells]
        spare, short = people - sum(lows), people - sum(highs)
        for cell, lowest, highest in zip(cells, lows, highs, strict=True):
            if short + highest > lowest or spare + lowest < highest:
                ranges[cell] = _cut_ranges(ranges[cell], short + highest, spare + lowest)
    return ranges if all(ranges) else []


# Three functions compute the least number of unexposed cells (of k people or more) in a block, a
# set of cells, so that a mistake in one shows against the others. It is implemented again, on
# purpose, in contingency/cuts.py _measure (optimised), composition/check_margins.py _needed
# (verified).
def needed(
    tables: Tables, ranges: Sequence[Sequence[Range]], q: int, values: Sequence[int]
) -> tuple[list[int], int]:
    """Return the cells of a block that may be unexposed, and the least number of them that must be.

    An unexposed cell holds k people or more. A block gives each cell the weight (number of its
    values in the block) - q; cells of positive weight count.

    Args:
        tables: the class of all tables with the given column counts.
        ranges: the people that each cell may hold in the case, exposed and unexposed.
        q: the number that is subtracted from each weight.
        values: the numbers of the block's values.
    """
    weights, gains = [-q] * len(ranges), {}
    for value in values:
        for cell in tables.values[value][1]:
            weights[cell] += 1
    missing = sum(tables.values[value][0] for value in values) - q * tables.n
    for cell, (weight, cell_ranges) in enumerate(zip(weights, ranges, strict=True)):
        # The ranges begin with the exposed range, if the cell may be exposed. So tops[0] is the
        # most people while exposed, and tops[1] the most while unexposed.
        tops = [part.high for part in cell_ranges]
        missing -= weight * (min(part.low for part in cell_ranges) if weight < 0 else tops[0])
        if weight > 0 and len(cell_ranges) > 1 and tops[1] > tops[0]:
            gains[cell] = weight * (tops[1] - tops[0])
    need = 0
    for gain in sorted(gains.values(), reverse=True):
        need += missing > 0
        missing -= gain
    return list(gains), need + (missing > 0)


def _cut_ranges(ranges: Sequence[Range], low: int, high: int) -> list[Range]:
    """Return the ranges of people of a cell, cut to `low` to `high`, without empty ranges.

    ranges: the least and most people of the cell, exposed and unexposed.
    """
    cut = [part._replace(low=max(part.low, low), high=min(part.high, high)) for part in ranges]
    return [part for part in cut if part.low <= part.high]


def _whole(number: Any, minimum: float = -inf) -> int:
    """Return a number of a proof; ValueError unless it is a whole number of at least `minimum`."""
    if type(number) is not int or number < minimum:
        raise ValueError(f"found {number!r:.40}; a whole number of at least {minimum} is accepted")
    return number
