"""Proofs by the number of unexposed cells, for programs that branching alone leaves open.

Each cell that is not exposed costs nearly k - 1 exposed people, so the relaxation with at least
s + 1 such cells allows clearly fewer people than with s: call it above(s). Take the rungs s from
the least possible number upwards and ask for a table with at most s such cells and more than
above(s) people exposed. If there is one, the best of them is the worst case, for no table with more
such cells has as many. If there is none, no table exposes more than above(s), and the next rung is
asked. Each question is small: the two conditions leave little slack in any cell, and `narrow.py`
takes from the program what they rule out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from ..validation import Counts
from .cuts import Cut
from .integer_program import TOLERANCE, Program, solve
from .narrow import narrow

# SciPy's status of a program without solutions, and of one solved to the end.
INFEASIBLE, OPTIMAL = 2, 0


@dataclass(frozen=True, slots=True, eq=False)
class Rung:
    """How far the ladder was climbed.

    Attributes:
        ceiling: exposed people that no table exceeds.
        cells: unexposed cells up to which tables were asked for.
        people: of every cell, in a table that exposes more than the best known before, if found.
    """

    ceiling: int
    cells: int
    people: Counts | None = None


def climb(
    program: Program,
    cuts: Sequence[Cut],
    best: int,
    ceiling: int,
    nodes: int | None = None,
    told: Callable[[Rung], None] = lambda _rung: None,
    stop: Callable[[], bool] = lambda: False,
) -> Rung:
    """The top of the ladder, as far as it was climbed.

    Args:
        program: the integer program.
        cuts: valid inequalities for it.
        best: exposed people of the worst table known so far.
        ceiling: exposed people that no table exceeds, as proved so far.
        nodes: of each rung's search tree, at most; None: as many as it takes.
        told: is called with every rung, before it is asked and once it is proved.
        stop: is called before every rung; no further one is asked once it says so.
    """
    least = solve(program, cuts, ceiling, minimise=program.count())
    if least.x is None:
        return Rung(ceiling, 0)
    cells = ceil(least.fun - TOLERANCE)
    while best < ceiling and not stop():
        told(Rung(ceiling, cells))
        more = solve(program, cuts, ceiling, covered=(cells + 1, np.inf))
        if more.x is None and more.status != INFEASIBLE:
            break
        above = best if more.x is None else max(best, floor(-more.fun + TOLERANCE))
        if above < ceiling:
            asked = _ask(program, cuts, ceiling, cells, above, nodes)
            if asked.people is not None or asked.ceiling > above:
                return asked
            ceiling = above
        cells += 1
    return Rung(ceiling, cells)


def _ask(
    program: Program,
    cuts: Sequence[Cut],
    ceiling: int,
    cells: int,
    above: int,
    nodes: int | None,
) -> Rung:
    """Whether a table with at most so many unexposed cells exposes more than `above`."""
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
