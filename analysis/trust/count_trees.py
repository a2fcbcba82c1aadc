"""Counts of the same people that hang together like a tree, and what they say of wider cells.

With cliques C and separators S of the tree (Sundberg 1975), given their counts,

    tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n.
"""

from collections.abc import Mapping, Sequence
from math import fsum

from ...errors import ParameterError
from .evidence import Cell, Count, Evidence, projected
from .fiber import log_multinomial, log_prior

Tree = list[tuple[Count, tuple[int, ...]]]


def tree_of(counts: Sequence[Count]) -> Tree:
    """As many counts as are joint to hang together, each with the columns it shares with others.

    The widest first, then whichever shares most.
    """
    left = sorted(counts, key=lambda count: -len(count.columns))
    tree: Tree = [(left.pop(0), ())]
    while left:
        covered = {column for count, _ in tree for column in count.columns}
        fitting: Tree = []
        for count in left:
            shared = tuple(column for column in count.columns if column in covered)
            if len(shared) < len(count.columns) and any(
                set(shared) <= set(earlier.columns) for earlier, _ in tree
            ):
                fitting.append((count, shared))
        if not fitting:
            break
        best = max(fitting, key=lambda place: len(place[1]))
        tree.append(best)
        left = [count for count in left if count is not best[0]]
    return tree


def log_of_tree(evidence: Evidence, tree: Tree) -> float:
    """Log prior probability of counts that hang together."""
    logs: list[float] = []
    for count, shared in tree:
        within: dict[Cell, list[int]] = {}
        for cell, people in count.left.items():
            key = tuple(cell[count.columns.index(column)] for column in shared)
            within.setdefault(key, []).append(people)
        logs += [log_multinomial(some) for some in within.values()]
        new = [column for column in count.columns if column not in shared]
        places = [count.columns.index(column) for column in new]
        logs += [
            people * log_prior(evidence.laws, tuple(new), cell)
            for cell, people in projected(count.left, places).items()
        ]
    return fsum(logs)


def joined(
    shares: Mapping[Cell, float], held: tuple[int, ...], count: Count, shared: tuple[int, ...]
) -> dict[Cell, float]:
    """Shares of wider cells: within what is shared, people are spread over the rest evenly."""
    at = [count.columns.index(column) for column in shared]
    new = [place for place, column in enumerate(count.columns) if column not in shared]
    within: dict[Cell, list[tuple[Cell, int]]] = {}
    for cell, people in count.left.items():
        key = tuple(cell[place] for place in at)
        within.setdefault(key, []).append((tuple(cell[place] for place in new), people))
    places = [held.index(column) for column in shared]
    joint: dict[Cell, float] = {}
    for cell, share in shares.items():
        some = within.get(tuple(cell[place] for place in places))
        if some is None:
            raise ParameterError("two counts of the same people do not agree")
        whole = sum(people for _, people in some)
        for more, people in some:
            joint[cell + more] = share * people / whole
    return joint
