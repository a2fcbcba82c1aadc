"""The search for a proof by cases of an upper bound on the exposed people of any table.

All tables with the given column counts are divided into cases, and cases are divided again (branch
and bound). A linear relaxation bounds the exposed people of a case; the case with the highest bound
is split first. A split takes a set of cells and a number t. In one part of the case at most t of
the cells are unexposed (hold k people or more), in the other part at least t + 1.

The sets tried are all cells, then the cells of a value (values of most people first), then single
cells. The first set is used whose number of unexposed cells in the relaxation is fractional.

The search is limited by the nodes of its tree, never by seconds. A case left open becomes a leaf
with its own bound, so an unfinished search gives a valid proof too. `check_cases.py` checks the
proof; docs/adr/0098-a-proof-by-cases.md compares ways to split.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import floor

import numpy as np

from ..validation import Counts
from .case_relaxation import CaseRelaxation, Relaxed
from .check_cases import Case, tables_of

# Tables with more cells are not searched by cases, because contingency/descent.py proves a sharper
# bound in the same time.
MOST_CELLS = 64
# a sum of unexposed shares this close to a whole number counts as whole, because the solver rounds
NEAR = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class CaseProof:
    """A proof that no table with these columns exposes more than `people`.

    Attributes:
        people: upper bound on the exposed people, a whole number.
        nodes: number of nodes in the proof's tree of cases (subsets of the tables).
        proof: JSON that `check_cases.proved_by_cases` checks.
    """

    people: int
    nodes: int
    proof: bytes


@dataclass(slots=True, eq=False)
class _Node:
    """A case (subset of the tables) in the search tree; after a split it has two parts.

    Attributes:
        path: the splits that define the case, from the root.
        relaxed: the linear relaxation of the case, which bounds the exposed people.
        split: some cells, and the most of them that are unexposed (hold k people or more) in the
            first part; None: not split.
        parts: the two cases after the split.
    """

    path: tuple[Case, ...]
    relaxed: Relaxed
    split: tuple[list[int], int] | None = None
    parts: list["_Node"] = field(default_factory=list)


def search_cases(
    marginals: Sequence[Sequence[int]],
    k: int,
    worst_so_far: int,
    nodes: int,
    *,
    meet: Callable[[Counts], int] = lambda _people: -1,
    stop: Callable[[int, int], bool] = lambda _nodes, _people: False,
) -> CaseProof:
    """Search for a proof that no table with these columns exposes more people than `worst_so_far`.

    Args:
        marginals: people by value, for each column; all with the same total n.
        k: people in the smallest crowd in which a person is not exposed, 2 or more.
        worst_so_far: people exposed in a known table; -1 without a table.
        nodes: limit of the nodes of the search tree.
        meet: called with each table that the search finds: the people of every cell, shape
            (cells,), with values numbered as in check_cases.py. It returns the exposed people of
            the worst table known.
        stop: called with the nodes and the people proved so far; True ends the search.

    Returns:
        The proof of the lowest upper bound that the search found within its limits.
    """
    tables = tables_of(marginals, k)
    shape = _shape(marginals, k)
    relaxation = CaseRelaxation(tables, shape)
    root = _Node((), relaxation.relax(()))
    heap, count, stuck = [(-root.relaxed.people, 0, root)], 1, 0
    while (
        heap
        and -heap[0][0] > max(worst_so_far, stuck)
        and count < nodes
        and not stop(count, -heap[0][0])
    ):
        node = heappop(heap)[2]
        node.split = _split(relaxation, node.relaxed)
        # A case (set of tables) that is not divided further stays a leaf of the tree, because its
        # solution has no cell that is partly exposed, or because it has no solution.
        if node.split is None:
            stuck = max(stuck, node.relaxed.people)
            continue
        cells, limit = node.split
        for case in ((cells, limit, True), (cells, limit + 1, False)):
            path = (*node.path, case)
            part = _Node(path, relaxation.relax(path, node.relaxed.blocks))
            node.parts.append(part)
            count += 1
            table = _table(relaxation, part.relaxed)
            worst_so_far = worst_so_far if table is None else max(worst_so_far, meet(table))
            heappush(heap, (-part.relaxed.people, count, part))
    return _proof_of_tree(root, relaxation, count)


def _shape(marginals: Sequence[Sequence[int]], k: int) -> list[int]:
    """Return the number of values of each column, with values of fewer than k people merged.

    marginals: the people by value of each column.
    """
    return [
        sum(people >= k for people in column) + any(0 < people < k for people in column)
        for column in marginals
    ]


def _split(relaxation: CaseRelaxation, relaxed: Relaxed) -> tuple[list[int], int] | None:
    """Return the set of cells and the limit by which a case is split; None if no split is needed.

    A case is a subset of the tables. After the split, one part has at most this limit of unexposed
    cells (of k people or more) in the set, the other part at least one more.

    relaxed: the linear relaxation of the case; its number of unexposed cells in the set is
    fractional.
    """
    shares, tables = relaxed.unexposed, relaxation.tables
    if shares is None:
        return None
    by_people = sorted(tables.values, key=lambda value: -value[0])
    nearest = np.argsort(np.abs(shares - 0.5), kind="stable").tolist()
    sets = [list(range(len(shares))), *(cells for _, cells in by_people), *([c] for c in nearest)]
    for cells in sets:
        number = float(shares[cells].sum())
        if abs(number - round(number)) > NEAR:
            return cells, floor(number)
    return None


def _table(relaxation: CaseRelaxation, relaxed: Relaxed) -> Counts | None:
    """Return the people of every cell, if the rounded solution is a table with the given counts.

    None otherwise. relaxed: the solution of a case's linear relaxation.
    """
    if relaxed.holds is None:
        return None
    people = np.rint(relaxed.holds).astype(np.int64)
    right = all(people[cells].sum() == count for count, cells in relaxation.tables.values)
    return people if right else None


def _proof_of_tree(root: _Node, relaxation: CaseRelaxation, count: int) -> CaseProof:
    """Return the proof of an upper bound on exposed people that a search tree of cases gives.

    It lists the nodes in preorder, each before its two parts, and the blocks (sets of values from
    which inequalities are made) that the leaves use.

    root: the case of all tables. relaxation: the relaxations, with all candidate blocks. count:
    number of nodes.
    """
    numbers: dict[int, int] = {}
    tree, people, stack = list[list[object]](), 0, [root]
    while stack:
        node = stack.pop()
        if node.split is not None:
            tree.append(["split", *node.split])
            stack += node.parts[::-1]
            continue
        prices, blocks, splits = node.relaxed.leaf
        numbered_prices = [
            [numbers.setdefault(number, len(numbers)), price] for number, price in blocks
        ]
        tree.append(["leaf", prices, numbered_prices, splits])
        people = max(people, node.relaxed.people)
    proof_fields = {"blocks": [relaxation.blocks[number] for number in numbers], "tree": tree}
    proof = json.dumps(proof_fields, separators=(",", ":")).encode()
    return CaseProof(min(people, relaxation.tables.n), count, proof)
