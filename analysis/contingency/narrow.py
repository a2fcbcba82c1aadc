"""Smaller limits on the people of cells, for tables that expose more than a given number of people.

A cell is exposed if it holds fewer than k people. The integer program of the worst case searches
the table that exposes most people. Smaller limits make it smaller before it is solved by branching.
An unexposed cell c may hold up to cap(c) people. But in a table that exposes more people than the
worst table known, few people are left for unexposed cells. With y(c) the people of c while it is
unexposed and w(c) = 1 if it is unexposed, a linear program bounds these people:

    max y(c)   with   w(c) = 1,   exposed people > more_than,   unexposed cells <= `most_cells`

If it has no solution, c is exposed in every table searched. Smaller caps make the relaxation y <=
cap w tighter in proportion. An example are four columns of the census at k = 10, with tables of at
most nine unexposed cells that expose more than 1,191 people: 73 of 160 cells can still be
unexposed. (The method is bound tightening by optimality: Gleixner, Berthold, Mueller, Weltge 2017.)
"""

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np

from ..optimization import LinearProgram, SolverStatus
from ..validation import Counts, Floats
from .cuts import Cut
from .integer_program import TOLERANCE, FrechetProgram

# Most passes. A pass computes limits of the people of every cell, by linear programs; it starts
# from the limits of the pass before.
PASSES = 3
# Limit of the cells that can be unexposed. With more cells, the linear programs, one for each cell,
# take longer than the branching that they spare, so the program stays unchanged.
MOST_CELLS = 500
# a further pass follows only if the last one removed more than this share of the sum of all limits
MIN_REDUCTION = 0.01


def narrow(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    ceiling: int,
    more_than: int,
    most_cells: float,
) -> FrechetProgram:
    """Return the program with smaller limits on the people of cells, for the searched tables alone.

    Cells that are exposed (fewer than k people) in all searched tables lose their other variables.

    Args:
        program: the integer program of the tables with the given margins.
        cuts: inequalities that all these tables meet.
        ceiling: upper bound on the exposed people of any table.
        more_than: only tables with more exposed people are searched.
        most_cells: only tables with at most this number of unexposed cells are searched.
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
    """Return a smaller limit on the people of each cell that can be unexposed (k people or more).

    One linear program per cell computes the limit.

    Args:
        program: the integer program of the tables with the given margins.
        cuts: inequalities that all these tables meet.
        ceiling: upper bound on the exposed people of any table.
        more_than: only tables with more exposed people are searched.
        cell_limit: only tables with at most this number of unexposed cells are searched.

    Returns:
        The limit of each cell, shape (cells,); below k: the cell is exposed in all searched tables.
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
    """Return the most people that a cell can hold in a linear relaxation, rounded down.

    Args:
        relaxation: the linear program; its objective is the people of the cell.
        cap: the limit known before; it is returned if the solver gives up.

    Returns:
        The limit; 0 if the linear program has no solution.
    """
    solution = relaxation.solve()
    if solution.status == SolverStatus.INFEASIBLE:
        return 0
    if solution.status != SolverStatus.OPTIMAL:
        return cap
    return min(cap, floor(solution.value + TOLERANCE))


def _relaxation(program: FrechetProgram, cuts: Sequence[Cut], ceiling: int) -> LinearProgram:
    """Return the linear relaxation of the program with these cuts, to be maximised.

    It has no objective yet: all coefficients are 0.

    Args:
        program: the integer program of the tables with the given margins.
        cuts: inequalities that all these tables meet.
        ceiling: upper bound on the exposed people of any table.
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
    """Return the lower or upper limits of a constraint as an array with an entry for each row.

    side: the limits, a number or an array. rows: the number of rows of the constraint.
    """
    return np.asarray(np.broadcast_to(np.asarray(side, np.float64), (rows,)), np.float64)
