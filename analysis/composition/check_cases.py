r"""Check by whole numbers alone a proof by cases that few people are exposed in any table.

A proof is a tree. A split asks whether at most t of some cells are unexposed, or at least t + 1:
every table is in either case. A leaf has prices, and every table of its case has at most so
many exposed people:

    sum of people x prices of their values  -  price x need, of each block
    +- price x limit, of each split above  +  the largest rest of each cell

The rest of a cell is linear in its people, so it is largest at an end of a range: 0 to u people if
it is exposed, k to cap if it is not. Splits of a single cell narrow them, and so do the counts: the
cells of a value hold exactly its people. The tree proves its worst leaf. A block is some values and
a number q. Cell c has the weight a(c) = (its values in the block) - q, and for every table x

    sum_c a(c) x(c) = sum of the counts of the block's values - q n.

With the cells of positive weight exposed, at the top of their ranges, and the rest at the bottom, D
people may be missing. Then `need` further cells are unexposed: as many as it takes of the largest
a(c) (cap - u) to reach D. (Sets of values of m columns, with q = m - 1: as in check_margins.py.)

Values of fewer than k people are one value, the last, its cells are exposed. Other values are
numbered from the most frequent down, column after column. Prices are whole multiples of 1 / SCALE.
No code is shared with the search for a proof (case_search.py).
"""

from collections.abc import Sequence
from itertools import product
from math import inf
from typing import Any, NamedTuple

from ...errors import VerificationError
from ...strict_text import from_json

SCALE = 1 << 32
MOST_CELLS = 10_000  # of tables whose proof is checked
PASSES = 4  # over all values, in which ranges are narrowed

Block = tuple[int, list[int]]  # q, and the values
Case = tuple[list[int], int, bool]  # of the cells so many are unexposed, at most or at least

# The least and the most people of a cell, if it is exposed or if it is not.
Range = NamedTuple("Range", [("exposed", bool), ("low", int), ("high", int)])  # noqa: UP014 - short
# A value: its people, and the cells that they are in.
Value = tuple[int, list[int]]
# All tables with some columns: their people, values and cells, each cell with its ranges.
Tables = NamedTuple(  # noqa: UP014 - short
    "Tables", [("n", int), ("values", list[Value]), ("ranges", list[list[Range]])]
)


def proved_by_cases(counts: Sequence[Sequence[int]], k: int, proof: bytes) -> int:
    """Return the people who are exposed at most, by this proof.

    Args:
        counts: people by value, for each column.
        k: people in the smallest crowd in which a person is not exposed, at least 1.
        proof: JSON: `blocks`, each [q, values], and `tree`, its nodes in preorder: ["split",
            cells, t], then the nodes of at most t, then of at least t + 1; or ["leaf", prices
            of the values, [block, price] of some blocks, prices of the splits above]. Cells are
            numbered with the last column fastest.

    Raises:
        VerificationError: the proof does not hold.
    """
    tables = tables_of(counts, k)
    try:
        parsed = from_json(proof)
        return min(tables.n, _tree_people(tables, parsed["blocks"], parsed["tree"]))
    except (TypeError, ValueError, KeyError, IndexError) as bad:
        raise VerificationError(f"cases: the proof is none: {bad}") from None


def _tree_people(tables: Tables, sets: Any, tree: Any) -> int:
    """Return the people of the worst leaf."""
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
            raise ValueError("a node is a split or a leaf")
    if paths:
        raise ValueError(f"{len(paths)} cases have no leaf")
    return worst


def tables_of(counts: Sequence[Sequence[int]], k: int) -> Tables:
    """Return the class of all tables with these columns."""
    columns, rare = [], []
    for column in counts:
        kept = sorted((people for people in column if people >= k), reverse=True)
        few = sum(people for people in column if people < k)
        columns.append([*kept, few] if few else kept)
        rare.append(len(kept))  # the number of the merged value, if there is one
    cells = list(product(*map(range, map(len, columns))))
    if len({sum(column) for column in columns}) != 1 or k < 1 or len(cells) > MOST_CELLS:
        raise VerificationError(f"cases: columns of the same people, k >= 1, {MOST_CELLS:,} cells")
    ranges = []
    for cell in cells:
        cap = min(column[at] for column, at in zip(columns, cell, strict=True))
        always = cap < k or any(at == last for at, last in zip(cell, rare, strict=True))
        top = Range(exposed=True, low=0, high=cap if always else k - 1)
        ranges.append([top] if always else [top, Range(exposed=False, low=k, high=cap)])
    values = [
        (people, [i for i, cell in enumerate(cells) if cell[j] == value])
        for j, column in enumerate(columns)
        for value, people in enumerate(column)
    ]
    return Tables(sum(columns[0]), values, ranges)


def leaf_people(tables: Tables, blocks: Sequence[Block], path: Sequence[Case], leaf: Any) -> int:
    """Return the exposed people that a leaf allows in its case; 0 if no table is in it."""
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
    for own, p, r in zip(ranges, price, reward, strict=bool(ranges)):
        total += max(
            people * (SCALE - p) if exposed else r - people * p
            for exposed, *ends in own
            for people in ends
        )
    return max(0, total // SCALE) if ranges else 0


def narrowed(tables: Tables, path: Sequence[Case]) -> list[list[Range]]:
    """Return the ranges of all cells in a case; empty if no table is in it."""
    ranges = list(tables.ranges)
    for cells, limit, at_most in path:
        low, high = (0, limit) if at_most else (limit, 1)
        for cell in cells if len(cells) == 1 else ():
            ranges[cell] = [own for own in ranges[cell] if low <= (not own.exposed) <= high]
    for people, cells in tables.values * PASSES:
        if not all(ranges[cell] for cell in cells):
            return []
        lows = [min(own.low for own in ranges[cell]) for cell in cells]
        highs = [max(own.high for own in ranges[cell]) for cell in cells]
        spare, short = people - sum(lows), people - sum(highs)
        for cell, least, most in zip(cells, lows, highs, strict=True):
            if short + most > least or spare + least < most:
                ranges[cell] = _within(ranges[cell], short + most, spare + least)
    return ranges if all(ranges) else []


def needed(
    tables: Tables, ranges: Sequence[Sequence[Range]], q: int, values: Sequence[int]
) -> tuple[list[int], int]:
    """Return the cells of a block that may be exposed or not, and how many are not, at least."""
    weights, gains = [-q] * len(ranges), {}
    for value in values:
        for cell in tables.values[value][1]:
            weights[cell] += 1
    missing = sum(tables.values[value][0] for value in values) - q * tables.n
    for cell, (weight, own) in enumerate(zip(weights, ranges, strict=True)):
        tops = [each.high for each in own]  # of the exposed range first
        missing -= weight * (min(each.low for each in own) if weight < 0 else tops[0])
        if weight > 0 and len(own) > 1 and tops[1] > tops[0]:
            gains[cell] = weight * (tops[1] - tops[0])
    need = 0
    for gain in sorted(gains.values(), reverse=True):
        need += missing > 0
        missing -= gain
    return list(gains), need + (missing > 0)


def _within(ranges: Sequence[Range], low: int, high: int) -> list[Range]:
    cut = [each._replace(low=max(each.low, low), high=min(each.high, high)) for each in ranges]
    return [each for each in cut if each.low <= each.high]


def _whole(number: Any, least: float = -inf) -> int:
    if type(number) is not int or number < least:
        raise ValueError(f"found {number!r:.40}; a whole number of at least {least} is accepted")
    return number
