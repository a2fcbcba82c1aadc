"""Proofs by the number of unexposed cells, for programs that branching alone leaves open.

Each cell that is not exposed costs nearly k - 1 exposed people, so the relaxation with at least
s + 1 such cells allows clearly fewer people than with s: call it above(s). Take the rungs s from
the least possible number upwards and ask for a table with at most s such cells and more than
above(s) people exposed. If there is one, the best of them is the worst case, for no table with more
such cells has as many. If there is none, no table exposes more than above(s), and the next rung is
asked. Each question is small: the two conditions leave little slack in any cell.
"""

from collections.abc import Sequence
from math import ceil, floor
from time import perf_counter

import numpy as np

from ..validation import Floats
from .cuts import Cut
from .integer_program import TOLERANCE, Program, solve

# SciPy's status of a program without solutions, and of one solved to the end.
INFEASIBLE, OPTIMAL = 2, 0


def climb(
    program: Program, cuts: Sequence[Cut], best: int, ceiling: int, deadline: float
) -> tuple[Floats | None, int]:
    """A better solution than `best` if the ladder finds one, and the ceiling it proves.

    Args:
        program: the integer program.
        cuts: valid inequalities for it.
        best: exposed people of the worst table known so far.
        ceiling: exposed people that no table exceeds, as proved so far.
        deadline: `perf_counter` time to stop at.
    """
    least = solve(program, cuts, ceiling, deadline, minimise=program.count())
    if least.x is None:
        return None, ceiling
    rung = ceil(least.fun - TOLERANCE)
    while best < ceiling and perf_counter() < deadline:
        more = solve(program, cuts, ceiling, deadline, covered=(rung + 1, np.inf))
        if more.x is None and more.status != INFEASIBLE:
            break
        above = best if more.x is None else max(best, floor(-more.fun + TOLERANCE))
        if above < ceiling:
            solution = solve(
                program,
                cuts,
                ceiling,
                deadline,
                whole_numbers=True,
                covered=(0, rung),
                more_than=above,
            )
            if solution.status == OPTIMAL:
                return solution.x, min(ceiling, round(-solution.fun))
            if solution.status != INFEASIBLE:
                bound = -(solution.mip_dual_bound or -ceiling)
                return solution.x, min(ceiling, max(above, floor(bound + TOLERANCE)))
            ceiling = above
        rung += 1
    return None, ceiling
