"""Search for tables that expose more people, by random swaps of unexposed cells.

A cell of fewer than k people exposes them, so an exposed cell holds at most k - 1. A table exposes
many people if all people that do not fit into exposed cells are in few other cells. These other
cells are its support. `supports.py` computes the most people exposed for a support. A proposal adds
a cell to the support, removes a cell, or replaces a cell by another, usually with all but one or
two values in common. Worse proposals are accepted as in simulated annealing (Kirkpatrick, Gelatt
and Vecchi 1983). Proposals come from a seed and their number is limited, so results do not depend
on the machine's speed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .frechet import FrechetTable
from .integer_program import TOLERANCE, FrechetProgram
from .supports import Supports

# EXCHANGE: share of the proposals that replace a cell in the set of unexposed cells by another
# cell. MORE: share of the proposals that add a cell. The other proposals remove a cell.
EXCHANGE, MORE = 0.8, 0.1
# NEAR: share of the replacements that first try a new cell that differs from the old cell in at
# most two columns. All others take any new cell. SINGLE_COLUMN_SHARE: share of the near
# replacements with a difference in one column.
NEAR = 0.8
SINGLE_COLUMN_SHARE = 0.7
# The temperature is the number of exposed people that a proposal may lose and still be accepted
# with probability 1/e. In each cycle of CYCLE proposals it falls from HOT + COLD to COLD.
HOT, COLD, CYCLE = 3.0, 0.05, 2_500


@dataclass(frozen=True, slots=True)
class SwapResult:
    """The result of a search for the worst table by swaps of unexposed cells, or its progress.

    The worst table has the most exposed people (in cells of fewer than k).

    Attributes:
        table: the worst table found, None if no table was found.
        exposed: people exposed in this table; -1 without a table.
        rounds: number of proposed swaps that were examined.
    """

    table: FrechetTable | None
    exposed: int
    rounds: int


def swap(
    program: FrechetProgram,
    start: FrechetTable | None,
    ceiling: int,
    rounds: int,
    seed: int = 0,
    watch: Callable[[SwapResult], bool] = lambda _result: True,
) -> SwapResult:
    """Search the table with most exposed people by random swaps; return the worst table found.

    A swap changes the set of unexposed cells (k people or more).

    Args:
        program: the integer program of the tables with the given margins.
        start: one of these tables; the search begins at its unexposed cells. None: at no cells.
        ceiling: upper bound on the exposed people of any table; the search ends if it is reached.
        rounds: the most proposed swaps.
        seed: seed of the random proposals.
        watch: called with the best result before every proposal; False ends the search.
    """
    supports, rng = Supports(program), np.random.default_rng(seed)
    best = SwapResult(start, -1 if start is None else start.exposed(program.k), 0)
    supports.flip([] if start is None else _support(program, start))
    current = supports.value()
    for round_number in range(rounds):
        if best.exposed >= ceiling or not len(program.free) or not watch(best):
            break
        cells = _proposal(program, supports.inside, rng)
        supports.flip(cells)
        value = supports.value()
        heat = COLD + HOT * (1 - round_number % CYCLE / CYCLE)
        if rng.random() >= np.exp(min(0.0, value - current) / heat):
            supports.flip(cells)
            best = SwapResult(best.table, best.exposed, round_number + 1)
            continue
        current = value
        best = _better(best, supports, value, round_number + 1)
    return best


def _better(best: SwapResult, supports: Supports, value: float, rounds: int) -> SwapResult:
    """Return the best result so far: the current support's worst table if it exposes more people.

    A support is a set of unexposed cells.

    Args:
        best: the best result before.
        supports: the linear program of the current support.
        value: the optimum of this program, an estimate of the exposed people.
        rounds: number of proposed swaps that were examined.
    """
    table = supports.table() if value > best.exposed + TOLERANCE else None
    if table is not None:
        exposed = table.exposed(supports.program.k)
        if exposed > best.exposed:
            return SwapResult(table, exposed, rounds)
    return SwapResult(best.table, best.exposed, rounds)


def _support(program: FrechetProgram, table: FrechetTable) -> list[int]:
    """Return the numbers of the cells with k people or more in a table.

    Cells are numbered as in the integer program, in which rare values are merged.
    """
    cells = table.cells[table.counts >= program.k]
    labels = program.tables.labels
    codes = [
        np.searchsorted(column_labels.unmerged, cells[:, j])
        for j, column_labels in enumerate(labels)
    ]
    places = np.ravel_multi_index(tuple(codes), program.tables.shape)
    return [int(place) for place in places]


def _proposal(
    program: FrechetProgram, inside: "np.ndarray[Any, Any]", rng: np.random.Generator
) -> list[int]:
    """Return the cells that a random proposal adds to or removes from the set of unexposed cells.

    An unexposed cell holds k people or more. The proposal replaces a cell by another (with
    probability `EXCHANGE`), adds a cell (`MORE`), or removes a cell. An empty set gains a cell.

    program: the integer program of the tables. inside: mask of the cells in the set.
    """
    members, kind = np.flatnonzero(inside), rng.random()
    joining = _random_cell(program, inside, rng)
    if not len(members) or EXCHANGE <= kind < EXCHANGE + MORE:
        return joining
    leaving = int(rng.choice(members))
    if kind >= EXCHANGE:
        return [leaving]
    if rng.random() < NEAR:
        joining = _neighbour(program, inside, leaving, rng) or joining
    return [leaving, *joining]


def _random_cell(
    program: FrechetProgram, inside: "np.ndarray[Any, Any]", rng: np.random.Generator
) -> list[int]:
    """Return, in a list, a random cell to add to the set of cells with k people or more.

    The list is empty if the cell is already in the set. inside: mask of the cells in the set.
    """
    cell = int(rng.choice(program.free))
    return [] if inside[cell] else [cell]


def _neighbour(
    program: FrechetProgram, inside: "np.ndarray[Any, Any]", cell: int, rng: np.random.Generator
) -> list[int]:
    """Return, in a list, a random cell that differs from the given cell in at most two columns.

    The list is empty if the random cell is already in the set of cells with k people or more, or is
    exposed in every table.

    program: the integer program of the tables. inside: mask of the cells in the set. cell: the flat
    index of the given cell.
    """
    shape = program.tables.shape
    codes = list(np.unravel_index(cell, shape))
    changed = min(len(shape), 1 if rng.random() < SINGLE_COLUMN_SHARE else 2)
    for column in rng.choice(len(shape), changed, replace=False):
        codes[column] = rng.integers(shape[column])
    corner = int(np.ravel_multi_index(codes, shape))
    may = program.exposed_limits[corner] < program.caps[corner] and not inside[corner]
    return [corner] if may else []
