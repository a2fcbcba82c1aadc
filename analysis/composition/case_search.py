"""The search for a proof by cases that no table with these columns exposes more people.

Branch and bound over cases, as check_cases.py defines them: the case with the highest bound is
split first. A case is split by the number of unexposed cells: of all cells, else of the cells of a
value, most people first, else of a single cell; the first set with a fractional number in the
relaxation is used. The search is limited by nodes, never by seconds. A case left open stays a leaf
with its own bound, so an unfinished search has a valid proof too (`check_cases.py` reads it;
docs/adr/0098-a-proof-by-cases.md compares ways to split).
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

# Limit of the cells of a table that is searched by cases; for larger tables,
# contingency/descent.py proves more in the same time.
MOST_CELLS = 64
NEAR = 1e-6  # a number this close to a whole number counts as whole


@dataclass(frozen=True, slots=True, eq=False)
class CaseProof:
    """A proof that no table with these columns exposes more than `people`.

    Attributes:
        people: upper bound on the exposed people, a whole number.
        nodes: number of nodes of its tree.
        proof: JSON that `check_cases.proved_by_cases` reads.
    """

    people: int
    nodes: int
    proof: bytes


@dataclass(slots=True, eq=False)
class _Node:
    """A case (subset of tables) in the search tree, with its split and parts once it is split.

    Attributes:
        path: the splits that define the case, from the root.
        relaxed: its linear relaxation, which bounds the exposed people.
        split: cells, and a limit of unexposed cells among them; None: not split.
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
        nodes: limit of the tree.
        meet: called with the people of every cell of a table that the search met (values as the
            checker numbers them, shape (cells,)); returns the exposed people of the worst table.
        stop: called with the nodes and the people proved so far; True ends the search.

    Returns:
        The proof with the fewest people that the nodes allowed.
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
        # Without a split the case ends: its solution is a table, or the solver gave up.
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
    """Return the number of values of each column; values of fewer than k people count as one."""
    return [
        sum(people >= k for people in column) + any(0 < people < k for people in column)
        for column in marginals
    ]


def _split(relaxation: CaseRelaxation, relaxed: Relaxed) -> tuple[list[int], int] | None:
    """Return the cells to split a case by, and a limit t; None if the solution needs no split.

    One part of the case has at most t unexposed cells among them, the other at least t + 1.
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
    """Return the people of every cell, if the solution rounds to a table of these columns."""
    if relaxed.holds is None:
        return None
    people = np.rint(relaxed.holds).astype(np.int64)
    right = all(people[cells].sum() == count for count, cells in relaxation.tables.values)
    return people if right else None


def _proof_of_tree(root: _Node, relaxation: CaseRelaxation, count: int) -> CaseProof:
    """Return the proof of a bound on exposed people by a search tree of cases.

    It lists the nodes in preorder, and the blocks (sets of values) that its leaves use.
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
