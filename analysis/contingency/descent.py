"""Proofs of the worst case by the number of unexposed cells, where branching alone is too slow.

The worst case is the table with the most exposed people (in cells of fewer than k) among all tables
with given margins. Each unexposed cell takes nearly k - 1 people from the exposed. So the linear
relaxation, restricted to at least s + 1 unexposed cells, gives a clearly smaller upper bound than
with s: call it above(s). Begin with the least possible number s and search a table that has at most
s unexposed cells and exposes more than above(s) people. If there is such a table, the best of them
is the worst case, because tables with more unexposed cells expose at most above(s) people. If not,
no table exposes more than above(s), and s + 1 is next. Each search is small: the two
conditions leave few cells undecided, and `narrow.py` removes all other cells from the program.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from ..validation import Counts
from .cuts import Cut
from .integer_program import TOLERANCE, FrechetProgram, solve
from .narrow import narrow

# SciPy's status codes of a program without solutions, and of a program solved to the end.
INFEASIBLE, OPTIMAL = 2, 0


@dataclass(frozen=True, slots=True, eq=False)
class Rung:
    """A step of the search by the number of unexposed cells, and the bound proved by it.

    Attributes:
        ceiling: upper bound on the exposed people of any table.
        cells: the largest number of unexposed cells of the tables searched.
        people: the people in each cell of a table that exposes more than the best known before;
            None if no such table was found.
    """

    ceiling: int
    cells: int
    people: Counts | None = None


def climb(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    best: int,
    ceiling: int,
    nodes: int | None = None,
    progress: Callable[[Rung], None] = lambda _rung: None,
    stop: Callable[[], bool] = lambda: False,
) -> Rung:
    """Raise the number of unexposed cells until the worst case is proved; return the last step.

    A cell of k people or more is unexposed. The worst case has the most people in other cells.

    Args:
        program: the integer program of the tables with the given margins.
        cuts: inequalities that all these tables meet.
        best: exposed people of the worst table known so far.
        ceiling: upper bound on the exposed people of any table, as proved so far.
        nodes: limit of the nodes of each search tree; None: no limit.
        progress: called with the current step before each search.
        stop: called before every step; True ends the search.
    """
    least_solution = solve(program, cuts, ceiling, minimise=program.count())
    if least_solution.x is None:
        return Rung(ceiling, 0)
    cells = ceil(least_solution.fun - TOLERANCE)
    while best < ceiling and not stop():
        progress(Rung(ceiling, cells))
        more = solve(program, cuts, ceiling, covered=(cells + 1, np.inf))
        if more.x is None and more.status != INFEASIBLE:
            break
        above = best if more.x is None else max(best, floor(-more.fun + TOLERANCE))
        if above < ceiling:
            answer = _ask(program, cuts, ceiling, cells, above, nodes)
            if answer.people is not None or answer.ceiling > above:
                return answer
            ceiling = above
        cells += 1
    return Rung(ceiling, cells)


def _ask(
    program: FrechetProgram,
    cuts: Sequence[Cut],
    ceiling: int,
    cells: int,
    above: int,
    nodes: int | None,
) -> Rung:
    """Search a table with at most `cells` unexposed cells that exposes more than `above` people.

    Args:
        program: the integer program of the tables with the given margins.
        cuts: inequalities that all these tables meet.
        ceiling: upper bound on the exposed people of any table.
        cells: the largest number of unexposed cells (k people or more) of the tables searched.
        above: only tables that expose more people are searched. Tables with more unexposed cells
            than `cells` expose at most this number.
        nodes: limit of the nodes of the search tree; None: no limit.

    Returns:
        The upper bound proved for all tables, and the table that was found, if any.
    """
    limits: Any = {"covered": (0, cells), "more_than": above}
    relaxed = solve(program, cuts, ceiling, **limits)
    if relaxed.status == INFEASIBLE:
        return Rung(above, cells)
    if relaxed.x is None:
        return Rung(ceiling, cells)
    shares = program.shares(relaxed.x)
    tight = [cut for cut in cuts if shares[cut.cells].sum() <= cut.need + TOLERANCE]
    small = narrow(program, tight, ceiling, above, cells)
    solution = solve(small, cuts, ceiling, whole_numbers=True, nodes=nodes, **limits)
    if solution.status == INFEASIBLE:
        return Rung(above, cells)
    people = None if solution.x is None else small.people(solution.x)
    if solution.status == OPTIMAL:
        return Rung(min(ceiling, round(-solution.fun)), cells, people)
    bound = -(solution.mip_dual_bound or -ceiling)
    return Rung(min(ceiling, max(above, floor(bound + TOLERANCE))), cells, people)
