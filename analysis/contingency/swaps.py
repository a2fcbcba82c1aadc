"""Worse tables by swapping: which cells are not exposed is searched, the people in them solved.

A table is bad when few cells hold all the people whom no exposed cell can take; call these cells
its support. For a given support the worst table is a small linear program over the cells c,

    maximise  sum of x(c) outside the support  -  PENALTY * people by which margins are missed,
    0 <= x(c) <= u(c) outside,   k <= x(c) <= cap(c) in the support,

with u(c) the most people that c exposes. So supports are compared by one number, also those that no
table has, and HiGHS solves the next program from where the last one ended. A proposal exchanges one
cell of the support for another (mostly one that shares all but one or two values with it), adds one
or removes one; worse ones are accepted as in simulated annealing (Kirkpatrick, Gelatt and Vecchi
1983). Proposals come from a seed and are counted: nothing depends on the machine's speed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..validation import Counts
from .frechet import Table
from .integer_program import TOLERANCE, Program
from .linear import maximiser

# People that a person too many or too few in a margin costs: above 1, or margins would be missed.
PENALTY = 3.0
# Shares of the proposals: an exchange, a cell more; the rest is a cell less.
EXCHANGE, MORE = 0.8, 0.1
NEAR = 0.8  # of the exchanges, those for a cell that differs in one column (ONE of them) or two
ONE = 0.7
# From hot to cold: people that a proposal may lose with probability 1/e; then hot again.
HOT, COLD, CYCLE = 3.0, 0.05, 2_500
WHOLE_NODES = 20  # of the search tree that makes a table of fractions one of people


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


class _Supports:
    """The linear program of one support, changed a cell at a time."""

    def __init__(self, program: Program) -> None:
        from scipy.sparse import csc_array, eye_array, hstack

        self.program, self.inside = program, np.zeros(program.tables.cells, bool)
        A, b = program.tables.equations()
        rows, cells = A.shape
        matrix = csc_array(hstack([A, eye_array(rows), -eye_array(rows)]))
        most = np.r_[program.most, np.tile(b, 2)].astype(np.float64)
        people = b.astype(np.float64)
        self._solver = maximiser(
            matrix,
            np.r_[np.ones(cells), np.full(2 * rows, -PENALTY)],
            (np.zeros(len(most)), most),
            (people, people),
            ("presolve", "off"),
        )

    def flip(self, cells: Iterable[int]) -> None:
        """These cells join the support, or leave it if they are in it."""
        for cell in cells:
            joins = not self.inside[cell]
            self.inside[cell] = joins
            low, high = (
                (self.program.k, self.program.caps[cell]) if joins else (0, self._most(cell))
            )
            self._solver.changeColCost(cell, 0.0 if joins else 1.0)
            self._solver.changeColBounds(cell, float(low), float(high))

    def value(self) -> float:
        """The program's value for this support, to a millionth of a person."""
        self._solver.run()
        return round(float(self._solver.getInfo().objective_function_value), 6)

    def people(self) -> Counts | None:
        """People per cell of a table with this support, once solved; None where there is none."""
        counts = np.array(self._solver.getSolution().col_value)
        cells = self.program.tables.cells
        if counts[cells:].sum() > TOLERANCE:
            return None
        people = np.rint(counts[:cells])
        if np.abs(counts[:cells] - people).max() > TOLERANCE:
            return self._whole()
        A, b = self.program.tables.equations()
        return people.astype(np.int64) if np.array_equal(A @ people, b) else None

    def _most(self, cell: int) -> int:
        return int(self.program.most[cell])

    def _whole(self) -> Counts | None:
        """The same in whole people, where the program's own optimum has fractions."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        program = self.program
        A, b = program.tables.equations()
        low = np.where(self.inside, program.k, 0)
        high = np.where(self.inside, program.caps, program.most)
        solution = milp(
            -(~self.inside).astype(np.float64),
            constraints=LinearConstraint(A, b, b),
            bounds=Bounds(low, high),
            integrality=np.ones(program.tables.cells, np.int64),
            options={"node_limit": WHOLE_NODES},
        ).x
        if solution is None:
            return None
        people = np.rint(solution)
        return people.astype(np.int64) if np.array_equal(A @ people, b) else None


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
    supports, rng = _Supports(program), np.random.default_rng(seed)
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


def _better(best: SwapResult, supports: _Supports, value: float, done: int) -> SwapResult:
    """The table of this support, if there is one that exposes more."""
    program = supports.program
    people = supports.people() if value > best.exposed + TOLERANCE else None
    if people is not None:
        table = program.tables.table(people)
        exposed = table.exposed(program.k)
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
