"""Counts of the same people that form a tree (a decomposable model), and joint shares from them.

Counts of several column sets form a tree if the columns that each shares with all earlier counts
lie in a single earlier count. The cliques C are the column sets, the separators S their shared
columns, and n_C and n_S the counts in their cells, of n people (Sundberg 1975). With inner products
over cells,

    tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n

are the number of tables over all columns that are consistent with the counts, and the expected
share of people in cell x of all columns.
"""

from collections.abc import Mapping, Sequence
from math import fsum

from ...errors import ParameterError
from .evidence import Cell, Evidence, OpenCount, projected
from .fiber import log_multinomial, log_prior

Tree = list[tuple[OpenCount, tuple[int, ...]]]


def tree_of(counts: Sequence[OpenCount]) -> Tree:
    """Choose counts greedily so that they form a tree (a decomposable model).

    Return each count with the columns that it shares with earlier counts; these columns lie in one
    earlier count. The first count has most columns; each next count is the one that shares most
    columns.
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
    """Return the log prior probability (nats) of counts that form a tree (a decomposable model).

    tree: each count, with the columns that it shares with earlier counts.
    """
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
    """Return shares of cells of more columns, by adding the columns of a further count.

    The share of each cell is divided among its extensions in proportion to the count.

    Args:
        shares: share of people in each cell.
        cell_columns: the columns of these cells.
        count: the further count.
        shared: the columns of the count that the cells have already.

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
