"""Search for tables that expose more people, by random swaps of unexposed cells.

A table exposes many people if few cells hold all the people beyond the capacity of exposed cells.
These cells are its support; `supports.py` computes how many people it exposes. A proposal exchanges
one cell of the support for another (usually with all but one or two values in common), adds a cell
or removes a cell; worse proposals are accepted as in simulated annealing (Kirkpatrick, Gelatt and
Vecchi 1983). Proposals come from a seed and are counted: results do not depend on the machine's
speed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .frechet import FrechetTable
from .integer_program import TOLERANCE, FrechetProgram
from .supports import Supports

# Shares of the proposals that exchange two cells in the set of unexposed cells, and that add a
# cell; the other proposals remove a cell.
EXCHANGE, MORE = 0.8, 0.1
# NEAR: share of the exchanges in which the two cells differ in only one or two columns.
# SINGLE_COLUMN_SHARE: share of these in which the cells differ in one column.
NEAR = 0.8
SINGLE_COLUMN_SHARE = 0.7
# The temperature is the number of people that a proposal may lose with probability 1/e. In each
# cycle of proposals it falls from HOT + COLD to COLD.
HOT, COLD, CYCLE = 3.0, 0.05, 2_500


@dataclass(frozen=True, slots=True)
class SwapResult:
    """The result of a search for the worst table by swaps of unexposed cells, or its progress.

    Attributes:
        table: the worst table found, None if no table was found.
        exposed: its exposed people; -1 without a table.
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
    """Search by random swaps; return the worst table found, `start` or worse.

    Args:
        program: the integer program of the class.
        start: a table of it; the search begins at its support.
        ceiling: exposed people that no table exceeds: at this number the search ends.
        rounds: proposals, at most.
        seed: of the random proposals.
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
    """Return the best result so far, with the table of this support if it exposes more people.

    A support is a set of unexposed cells. value: the optimum of its linear program.
    """
    table = supports.table() if value > best.exposed + TOLERANCE else None
    if table is not None:
        exposed = table.exposed(supports.program.k)
        if exposed > best.exposed:
            return SwapResult(table, exposed, rounds)
    return SwapResult(best.table, best.exposed, rounds)


def _support(program: FrechetProgram, table: FrechetTable) -> list[int]:
    """Return the cells of k people or more in a table, as the integer program numbers them."""
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
    """Return the cells to flip in the support (the set of unexposed cells): one or two cells.

    A cell leaves the support, a cell joins it, or both. inside: mask of the cells in the support.
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
    """Return, in a list, a random cell that can be unexposed, to add to the support.

    The list is empty if the cell is already in the support, the set of unexposed cells.
    """
    cell = int(rng.choice(program.free))
    return [] if inside[cell] else [cell]


def _neighbour(
    program: FrechetProgram, inside: "np.ndarray[Any, Any]", cell: int, rng: np.random.Generator
) -> list[int]:
    """Return, in a list, a random cell that differs from this cell in one column or two.

    The list is empty if that cell is in the support (unexposed), or exposed in every table.
    """
    shape = program.tables.shape
    codes = list(np.unravel_index(cell, shape))
    changed = min(len(shape), 1 if rng.random() < SINGLE_COLUMN_SHARE else 2)
    for column in rng.choice(len(shape), changed, replace=False):
        codes[column] = rng.integers(shape[column])
    corner = int(np.ravel_multi_index(codes, shape))
    may = program.exposed_limits[corner] < program.caps[corner] and not inside[corner]
    return [corner] if may else []
