"""Proofs of the worst case by the number of unexposed cells, where branching alone is too slow.

The worst case is the table with the most exposed people (in cells of fewer than k) among all tables
with given margins. Each unexposed cell costs nearly k - 1 exposed people, so the relaxation with at
least s + 1 such cells allows clearly fewer people than with s: call it above(s). Take rungs s from
the least possible number upwards and search a table with at most s such cells and more than
above(s) people exposed. If one exists, the best of them is the worst case, because no table with
more such cells exposes more people. If none exists, no table exposes more than above(s), and the
next rung follows. Each search is small: the two conditions leave little slack in any cell, and
`narrow.py` removes the excluded cells from the program.
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
        ceiling: exposed people that no table exceeds.
        cells: unexposed cells of the searched tables, at most.
        people: people in each cell of a table that exposes more than the best known before; None:
            not found.
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

    Args:
        program: the integer program.
        cuts: valid inequalities for it.
        best: exposed people of the worst table known so far.
        ceiling: exposed people that no table exceeds, as proved so far.
        nodes: limit of each rung's search tree; None: no limit.
        progress: called with the current rung before each search.
        stop: called before every rung; True ends the climb.
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

    Returns the bound proved, and the table if one was found.
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
