"""Tighter limits on the cells of tables that expose more than a given number of people.

They make the integer program of the worst case smaller before it is solved by branching. An
unexposed cell may hold `cap` people, but in a table that exposes more than the known maximum most
people are needed elsewhere. The relaxation bounds the people of a cell c,

    max y(c)   with   w(c) = 1,   exposed people > more_than,   unexposed cells <= `most_cells`,

and if there is no such solution, c is exposed in every table searched. Smaller caps make the
relaxation y <= cap w tighter in proportion: for four columns of the census at k = 10, 73 of 160
cells are left for the tables with at most nine unexposed cells that expose more than 1,191. (Bound
tightening by optimality: Gleixner, Berthold, Mueller, Weltge 2017.)
"""

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np

from ..optimization import LinearProgram, SolverStatus
from ..validation import Counts, Floats
from .cuts import Cut
from .integer_program import TOLERANCE, FrechetProgram

# number of passes over all cells; each starts from the caps on people that the last one found
PASSES = 3
# Limit of the cells that may be unexposed: with more, the linear programs take longer than the
# branching that they spare.
MOST_CELLS = 500
MIN_REDUCTION = 0.01  # share of the caps' sum that a pass must remove to be repeated


def narrow(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    ceiling: int,
    more_than: int,
    most_cells: float,
) -> FrechetProgram:
    """Return the program with smaller caps and fewer free cells, for the searched tables alone.

    Args:
        program: the integer program.
        cuts: valid inequalities for it.
        ceiling: exposed people that no table exceeds.
        more_than: only tables with more exposed people are searched.
        most_cells: unexposed cells of the searched tables, at most.
    """
    for _ in range(PASSES if len(program.free) <= MOST_CELLS else 0):
        caps = _pass(program, cuts, ceiling, more_than, most_cells)
        caps_before = int(program.caps[program.free].sum())
        program = program.narrowed(caps)
        caps_after = int(program.caps[program.free].sum())
        if caps_after >= (1 - MIN_REDUCTION) * caps_before:
            break
    return program


def _pass(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    ceiling: int,
    more_than: int,
    cell_limit: float,
) -> Counts:
    """Return a smaller cap on the people of each free cell, by one linear program per cell.

    Arguments as in `narrow`. The shape is (cells,); 0 if the cell is exposed in all tables
    searched.
    """
    relaxation, caps = _relaxation(program, cuts, ceiling), program.caps.copy()
    cells, free = program.tables.cells, len(program.free)
    cell_numbers = np.arange(cells, dtype=np.int32)
    relaxation.add_row(float(more_than + 1), np.inf, cell_numbers, np.ones(cells))
    shares = np.arange(cells + free, cells + 2 * free, dtype=np.int32)
    relaxation.add_row(0.0, float(cell_limit), shares, np.ones(free))
    for i, cell in enumerate(program.free.tolist()):
        people, share = cells + i, cells + free + i
        relaxation.change_cost(people, 1.0)
        relaxation.change_bounds(share, 1.0, 1.0)
        caps[cell] = _people_bound(relaxation, int(caps[cell]))
        if caps[cell] < program.k:
            relaxation.change_bounds(people, 0.0, 0.0)
            relaxation.change_bounds(share, 0.0, 0.0)
        else:
            relaxation.change_bounds(people, 0.0, float(caps[cell]))
            relaxation.change_bounds(share, 0.0, 1.0)
        relaxation.change_cost(people, 0.0)
    return caps


def _people_bound(relaxation: LinearProgram, cap: int) -> int:
    """Return the most people that a cell holds in the relaxation; `cap` if the solver gives up.

    The objective is already set; 0 if there is no solution.
    """
    solution = relaxation.solve()
    if solution.status == SolverStatus.INFEASIBLE:
        return 0
    if solution.status != SolverStatus.OPTIMAL:
        return cap
    return min(cap, floor(solution.value + TOLERANCE))


def _relaxation(program: FrechetProgram, cuts: Sequence[Cut], ceiling: int) -> LinearProgram:
    """Return the linear relaxation of the program with these cuts (valid inequalities).

    It is to be maximised, and has no objective yet. ceiling: upper bound on the exposed people.
    """
    from scipy.sparse import csc_array, csr_array, vstack

    rows: list[Any] = list(program.constraints(cuts, ceiling))
    matrix = csc_array(vstack([csr_array(constraint.A) for constraint in rows]))
    low, high = (
        np.concatenate(
            [_side(side, csr_array(constraint.A).shape[0]) for constraint, side in pairs]
        )
        for pairs in (
            [(constraint, constraint.lb) for constraint in rows],
            [(constraint, constraint.ub) for constraint in rows],
        )
    )
    return LinearProgram(matrix, np.zeros(program.size), program.bounds(), (low, high))


def _side(side: Any, rows: int) -> Floats:
    """Return one side of a constraint as an array with an entry for each row."""
    return np.asarray(np.broadcast_to(np.asarray(side, np.float64), (rows,)), np.float64)
