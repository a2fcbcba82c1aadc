"""What tables that expose more than a number have in common: a smaller program, before branching.

A cell that is not exposed may hold `cap` people, but in a table that exposes more than is known
already most people are needed elsewhere. The relaxation says how many a cell c can hold at most,

    max y(c)   with   w(c) = 1,   exposed people > more_than,   unexposed cells <= `most_cells`,

and where there is no such solution, c is exposed in every table sought. Smaller caps make the
relaxation y <= cap w tighter by as much: of four columns of the census at k = 10, 73 of 160 cells
are left for the tables of at most nine unexposed cells that expose more than 1,191. (Bound
tightening by optimality: Gleixner, Berthold, Mueller, Weltge 2017.)
"""

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np

from ..optimization import LinearProgram, Status
from ..validation import Counts, Floats
from .cuts import Cut
from .integer_program import TOLERANCE, Program

PASSES = 3  # over all cells; each uses the caps of the one before
MOST_CELLS = 500  # free ones; of more, the programs take longer than the branching they spare
LEAST = 0.01  # share of the caps' sum that a pass must take away for another one


def narrow(
    program: Program,
    cuts: Sequence[Cut],
    ceiling: int,
    more_than: int,
    most_cells: float,
) -> Program:
    """The program of the tables sought, with smaller caps and fewer free cells.

    Args:
        program: the integer program.
        cuts: valid inequalities for it.
        ceiling: exposed people that no table exceeds.
        more_than: tables with more exposed people are sought, and no others.
        most_cells: unexposed cells of the tables sought, at most.
    """
    for _ in range(PASSES if len(program.free) <= MOST_CELLS else 0):
        caps = _pass(program, cuts, ceiling, more_than, most_cells)
        before = int(program.caps[program.free].sum())
        program = program.narrowed(caps)
        after = int(program.caps[program.free].sum())
        if after >= (1 - LEAST) * before:
            break
    return program


def _pass(
    program: Program,
    cuts: Sequence[Cut],
    ceiling: int,
    more_than: int,
    most_cells: float,
) -> Counts:
    """Smaller caps of all free cells, shape (cells,); 0 where a cell is exposed in all tables."""
    relaxation, caps = _relaxation(program, cuts, ceiling), program.caps.copy()
    cells, free = program.tables.cells, len(program.free)
    everywhere = np.arange(cells, dtype=np.int32)
    relaxation.add_row(float(more_than + 1), np.inf, everywhere, np.ones(cells))
    shares = np.arange(cells + free, cells + 2 * free, dtype=np.int32)
    relaxation.add_row(0.0, float(most_cells), shares, np.ones(free))
    for i, cell in enumerate(program.free.tolist()):
        people, share = cells + i, cells + free + i
        relaxation.change_cost(people, 1.0)
        relaxation.change_bounds(share, 1.0, 1.0)
        caps[cell] = _most(relaxation, int(caps[cell]))
        if caps[cell] < program.k:
            relaxation.change_bounds(people, 0.0, 0.0)
            relaxation.change_bounds(share, 0.0, 0.0)
        else:
            relaxation.change_bounds(people, 0.0, float(caps[cell]))
            relaxation.change_bounds(share, 0.0, 1.0)
        relaxation.change_cost(people, 0.0)
    return caps


def _most(relaxation: LinearProgram, cap: int) -> int:
    """People at most, as the relaxation says; `cap` where the solver gives up."""
    solution = relaxation.solve()
    if solution.status == Status.INFEASIBLE:
        return 0
    if solution.status != Status.OPTIMAL:
        return cap
    return min(cap, floor(solution.value + TOLERANCE))


def _relaxation(program: Program, cuts: Sequence[Cut], ceiling: int) -> LinearProgram:
    """The relaxation, to be maximised, with no objective yet."""
    from scipy.sparse import csc_array, csr_array, vstack

    rows: list[Any] = list(program.constraints(cuts, ceiling))
    matrix = csc_array(vstack([csr_array(each.A) for each in rows]))
    low, high = (
        np.concatenate([_side(side, csr_array(each.A).shape[0]) for each, side in pairs])
        for pairs in ([(each, each.lb) for each in rows], [(each, each.ub) for each in rows])
    )
    return LinearProgram(matrix, np.zeros(program.size), program.bounds(), (low, high))


def _side(side: Any, rows: int) -> Floats:
    return np.asarray(np.broadcast_to(np.asarray(side, np.float64), (rows,)), np.float64)
