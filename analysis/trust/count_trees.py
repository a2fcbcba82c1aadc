"""Counts of the same people that form a tree, and the shares of wider cells that follow.

A tree of counts is a decomposable model. With cliques C and separators S of the tree (Sundberg
1975), given their counts,

    tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n.
"""

from collections.abc import Mapping, Sequence
from math import fsum

from ...errors import ParameterError
from .evidence import Cell, Evidence, OpenCount, projected
from .fiber import log_multinomial, log_prior

Tree = list[tuple[OpenCount, tuple[int, ...]]]


def tree_of(counts: Sequence[OpenCount]) -> Tree:
    """Choose counts that form a tree; return each with the columns it shares with earlier counts.

    It begins with the count of most columns and adds the count that shares most columns.
    """
    remaining = sorted(counts, key=lambda count: -len(count.columns))
    tree: Tree = [(remaining.pop(0), ())]
    while remaining:
        covered = {column for count, _ in tree for column in count.columns}
        fitting: Tree = []
        for count in remaining:
            shared = tuple(column for column in count.columns if column in covered)
            if len(shared) < len(count.columns) and any(
                set(shared) <= set(earlier.columns) for earlier, _ in tree
            ):
                fitting.append((count, shared))
        if not fitting:
            break
        best = max(fitting, key=lambda place: len(place[1]))
        tree.append(best)
        remaining = [count for count in remaining if count is not best[0]]
    return tree


def log_of_tree(evidence: Evidence, tree: Tree) -> float:
    """Return the log prior probability (nats) of counts that form a tree."""
    logs: list[float] = []
    for count, shared in tree:
        groups: dict[Cell, list[int]] = {}
        for cell, people in count.unexplained.items():
            key = tuple(cell[count.columns.index(column)] for column in shared)
            groups.setdefault(key, []).append(people)
        logs += [log_multinomial(group_counts) for group_counts in groups.values()]
        new = [column for column in count.columns if column not in shared]
        places = [count.columns.index(column) for column in new]
        logs += [
            people * log_prior(evidence.laws, tuple(new), cell)
            for cell, people in projected(count.unexplained, places).items()
        ]
    return fsum(logs)


def joined(
    shares: Mapping[Cell, float],
    cell_columns: tuple[int, ...],
    count: OpenCount,
    shared: tuple[int, ...],
) -> dict[Cell, float]:
    """Return the shares of wider cells: a cell's share is split in proportion to a further count.

    Raises:
        ParameterError: the count is empty at the shared columns of a cell: the counts disagree.
    """
    at = [count.columns.index(column) for column in shared]
    new = [place for place, column in enumerate(count.columns) if column not in shared]
    groups: dict[Cell, list[tuple[Cell, int]]] = {}
    for cell, people in count.unexplained.items():
        key = tuple(cell[place] for place in at)
        groups.setdefault(key, []).append((tuple(cell[place] for place in new), people))
    places = [cell_columns.index(column) for column in shared]
    joint: dict[Cell, float] = {}
    for cell, share in shares.items():
        extensions = groups.get(tuple(cell[place] for place in places))
        if extensions is None:
            raise ParameterError(
                "the evidence is contradictory: two counts of the same people do not agree"
            )
        whole = sum(people for _, people in extensions)
        for more, people in extensions:
            joint[cell + more] = share * people / whole
    return joint
