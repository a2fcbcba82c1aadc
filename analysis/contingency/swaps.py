"""Worse tables by swapping: which cells are not exposed is searched, the people in them solved.

A table is bad when few cells hold all the people whom no exposed cell can take; call these cells
its support, of which `supports.py` says how many people it exposes. A proposal exchanges one
cell of the support for another (mostly one that shares all but one or two values with it), adds one
or removes one; worse ones are accepted as in simulated annealing (Kirkpatrick, Gelatt and Vecchi
1983). Proposals come from a seed and are counted: nothing depends on the machine's speed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .frechet import Table
from .integer_program import TOLERANCE, Program
from .supports import Supports

# Shares of the proposals: an exchange, a cell more; the rest is a cell less.
EXCHANGE, MORE = 0.8, 0.1
NEAR = 0.8  # of the exchanges, those for a cell that differs in one column (ONE of them) or two
ONE = 0.7
# From hot to cold: people that a proposal may lose with probability 1/e; then hot again.
HOT, COLD, CYCLE = 3.0, 0.05, 2_500


@dataclass(frozen=True, slots=True)
class SwapResult:
    """What a search has come to.

    Attributes:
        table: the worst table found, None if no table was met.
        exposed: its exposed people; -1 where there is none.
        rounds: proposals that were looked at.
    """

    table: Table | None
    exposed: int
    rounds: int


def swap(
    program: Program,
    start: Table | None,
    ceiling: int,
    rounds: int,
    seed: int = 0,
    watch: Callable[[SwapResult], bool] = lambda _found: True,
) -> SwapResult:
    """The worst table that so many proposals come to, `start` or worse.

    Args:
        program: the integer program of the class.
        start: a table of it; its support is where the search begins.
        ceiling: exposed people that no table exceeds: where it is reached, the search ends.
        rounds: proposals, at most.
        seed: of what is proposed.
        watch: is called with what was found so far, after every proposal; False ends the search.
    """
    supports, rng = Supports(program), np.random.default_rng(seed)
    best = SwapResult(start, -1 if start is None else start.exposed(program.k), 0)
    supports.flip([] if start is None else _support(program, start))
    current = supports.value()
    for done in range(rounds):
        if best.exposed >= ceiling or not len(program.free) or not watch(best):
            break
        cells = _proposal(program, supports.inside, rng)
        supports.flip(cells)
        value = supports.value()
        heat = COLD + HOT * (1 - done % CYCLE / CYCLE)
        if rng.random() >= np.exp(min(0.0, value - current) / heat):
            supports.flip(cells)
            best = SwapResult(best.table, best.exposed, done + 1)
            continue
        current = value
        best = _better(best, supports, value, done + 1)
    return best


def _better(best: SwapResult, supports: Supports, value: float, done: int) -> SwapResult:
    """The table of this support, if there is one that exposes more."""
    table = supports.table() if value > best.exposed + TOLERANCE else None
    if table is not None:
        exposed = table.exposed(supports.program.k)
        if exposed > best.exposed:
            return SwapResult(table, exposed, done)
    return SwapResult(best.table, best.exposed, done)


def _support(program: Program, table: Table) -> list[int]:
    """The cells of a table that are not exposed, as the program numbers them."""
    cells = table.cells[table.counts >= program.k]
    labels = program.tables.labels
    codes = [np.searchsorted(each.kept, cells[:, j]) for j, each in enumerate(labels)]
    places = np.ravel_multi_index(tuple(codes), program.tables.shape)
    return [int(place) for place in places]


def _proposal(
    program: Program, inside: "np.ndarray[Any, Any]", rng: np.random.Generator
) -> list[int]:
    """The cells to flip: one leaves the support and another joins it, or one does either."""
    members, kind = np.flatnonzero(inside), rng.random()
    joining = _other(program, inside, rng)
    if not len(members) or EXCHANGE <= kind < EXCHANGE + MORE:
        return joining
    leaving = int(rng.choice(members))
    if kind >= EXCHANGE:
        return [leaving]
    if rng.random() < NEAR:
        joining = _neighbour(program, inside, leaving, rng) or joining
    return [leaving, *joining]


def _other(program: Program, inside: "np.ndarray[Any, Any]", rng: np.random.Generator) -> list[int]:
    """A cell outside the support, if chance meets one."""
    cell = int(rng.choice(program.free))
    return [] if inside[cell] else [cell]


def _neighbour(
    program: Program, inside: "np.ndarray[Any, Any]", cell: int, rng: np.random.Generator
) -> list[int]:
    """A cell outside the support that shares all but one or two values with this one, if met."""
    shape = program.tables.shape
    codes = list(np.unravel_index(cell, shape))
    changed = min(len(shape), 1 if rng.random() < ONE else 2)
    for column in rng.choice(len(shape), changed, replace=False):
        codes[column] = rng.integers(shape[column])
    near = int(np.ravel_multi_index(codes, shape))
    may = program.most[near] < program.caps[near] and not inside[near]
    return [near] if may else []
