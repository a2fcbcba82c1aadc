"""The search for the worst case: the largest number of exposed people over all tables with margins.

A cell of fewer than k people exposes its people. The search improves two numbers until they meet:
the people exposed in the worst table found, and an upper bound for all tables. Its steps, in order:

    relaxation with cuts     linear program with further valid inequalities: an upper bound
    proof by cases           closes small tables, with a proof in whole numbers (case_search.py)
    search tree, few nodes   integer program: closes small tables
    matching                 worse tables, from sums of counts (contingency/matching.py)
    swaps                    worse tables, by random changes (contingency/swaps.py)
    descent                  an upper bound for each number of unexposed cells, until it meets the
                             worst table (contingency/descent.py)

If a limit or Ctrl-C stops the search, the best table and bound so far remain.
"""

from itertools import islice
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..contingency import solve
from ..contingency.descent import INFEASIBLE, Rung, climb
from ..contingency.frechet import FrechetTable
from ..contingency.integer_program import TOLERANCE, FrechetProgram, relax
from ..contingency.matching import matching_supports
from ..contingency.supports import Supports
from ..contingency.swaps import SwapResult, swap
from ..validation import Counts
from .case_search import MOST_CELLS, search_cases
from .worst_bracket import Bracket, SearchLimits

# MATCHES: limit of the sets of unexposed cells (k people or more) that the matching step tries.
# DEARER: number of swaps that take as long as one such trial.
MATCHES, DEARER = 200, 10
# limit of the nodes of the first search tree of the integer program; a larger search comes last
FIRST_NODES = 20
# Limit of the number of cells times the number of proposed swaps of unexposed cells, because each
# swap takes longer with more cells. Tables with more cells get fewer swaps.
MOST_WORK = 10_000_000
# number of proposed swaps (or nodes of a proof by cases) between two reports of progress
REPORT_INTERVAL = 100


def search(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Narrow the bounds of the worst case (most exposed people over all tables) within limits.

    Args:
        program: the integer program of the tables with the given margins.
        bracket: the worst table and the upper bound so far; improved in place.
        limits: limits of the work.

    Raises:
        ParameterError: no table has these margins.
        KeyboardInterrupt: Ctrl-C was pressed; `bracket` holds the best table and bound so far.
    """
    bracket.say("relaxation")
    cuts, value = relax(program, bracket.ceiling, limits.timer)
    bracket.prove(value)
    if not limits.timer():
        _cases(program, bracket, limits)
    if bracket.closed or limits.timer():
        return
    bracket.say("first search tree")
    nodes, ceiling = min(limits.nodes, FIRST_NODES), bracket.ceiling
    solution = solve(program, cuts, ceiling, whole_numbers=True, nodes=nodes)
    if solution.status == INFEASIBLE:
        raise ParameterError("known_joints: no table has all of these counts and the marginals")
    if solution.mip_dual_bound is not None:
        bracket.prove(-solution.mip_dual_bound)
    bracket.meet(_table(program, None if solution.x is None else program.people(solution.x)))
    if not bracket.closed:
        _match(program, bracket, limits)
    if not bracket.closed:
        _swap(program, bracket, limits)
    if not bracket.closed:
        _climb(program, cuts, bracket, limits)


def _cases(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Search for a proof by cases, in whole numbers, that no table exposes more people.

    Only small tables are searched, and only if no joint counts of columns are known. The upper
    bound, the proof and the worse tables found go into `bracket`.
    """
    tables = program.tables
    if tables.cells > MOST_CELLS or any(len(margin.group) > 1 for margin in tables.margins):
        return
    kept_counts = [
        m.counts[: len(o.unmerged)] for m, o in zip(tables.margins, tables.labels, strict=True)
    ]
    columns = [
        [*c.tolist(), *o.rare_counts.tolist()]
        for c, o in zip(kept_counts, tables.labels, strict=True)
    ]
    # The proof numbers the values of a column from the most frequent down, with the merged rare
    # values last, because check_cases.py, which verifies it, reads them so. `places` translates
    # these numbers into the value numbers of the integer program.
    places = [
        [*np.argsort(-counts, kind="stable").tolist(), len(counts)][:size]
        for counts, size in zip(kept_counts, tables.shape, strict=True)
    ]

    def meet(people: Counts) -> int:
        """Record a table if it is the worst found so far; return the most exposed people.

        people: the people of each cell, with values numbered from the most frequent down.
        """
        placed = np.empty(tables.shape, np.int64)
        placed[np.ix_(*places)] = people.reshape(tables.shape)
        bracket.meet(tables.table(placed.ravel()))
        return bracket.people

    def stop(nodes: int, people: int) -> bool:
        """Lower the upper bound to `people`, report it, and return whether the time is over.

        nodes: number of nodes of the proof's tree so far.
        """
        bracket.prove(people)
        if nodes % REPORT_INTERVAL < 2:
            bracket.say(f"node {nodes:,} of {limits.nodes:,} of a proof by cases")
        return limits.timer()

    bracket.say("proof by cases")
    proof = search_cases(columns, program.k, bracket.people, limits.nodes, meet=meet, stop=stop)
    bracket.prove(proof.people)
    bracket.proof = proof


def _match(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Search for worse tables by sets of a few unexposed cells, which hold all people left over.

    An unexposed cell holds k people or more. All other cells are taken to hold k - 1 people, the
    most that are exposed. The sets are chosen by matching sums of the unexposed cells' people to
    the counts of the values (contingency/matching.py).
    """
    bracket.say("supports that match")
    supports = Supports(program)
    support_limit = min(MATCHES, limits.rounds, MOST_WORK // (DEARER * program.tables.cells))
    for cells in islice(matching_supports(program, limits.seed), support_limit):
        supports.hold(cells)
        if supports.value() > bracket.people + TOLERANCE:
            bracket.meet(supports.table())
        if bracket.closed or limits.timer():
            return


def _swap(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Search for worse tables by random changes of the set of cells with k people or more.

    The search begins at the worst table in `bracket`, and puts worse tables there.
    """
    rounds = min(limits.rounds, MOST_WORK // program.tables.cells)

    def watch(swapped: SwapResult) -> bool:
        """Record a swapped table if it is the worst so far; return whether swaps may continue."""
        bracket.meet(swapped.table)
        if swapped.rounds % REPORT_INTERVAL == 0:
            bracket.say(f"round {swapped.rounds:,} of {rounds:,} of swaps")
        return not limits.timer()

    bracket.meet(swap(program, bracket.table, bracket.ceiling, rounds, limits.seed, watch).table)


def _climb(program: FrechetProgram, cuts: Any, bracket: Bracket, limits: SearchLimits) -> None:
    """Lower the upper bound, by an increasing limit of the number of cells with k people or more.

    If the search ends within its limits, the table that exposes most people is found and proved.

    cuts: inequalities that all tables with the given margins meet. bracket: the worst table and the
    upper bound so far; improved in place.
    """

    def report(rung: Rung) -> None:
        """Lower the upper bound to the bound that a step proved, and report the step.

        rung: the step, for one limit of the number of cells with k people or more.
        """
        bracket.prove(rung.ceiling)
        bracket.say(f"tables with at most {rung.cells} unexposed cells")

    best, ceiling = bracket.people, bracket.ceiling
    top = climb(program, cuts, best, ceiling, limits.nodes, report, limits.timer)
    bracket.prove(top.ceiling)
    bracket.meet(_table(program, top.people))


def _table(program: FrechetProgram, people: Counts | None) -> FrechetTable | None:
    """Return a solution of the program as a table; None unless it has exactly the given margins.

    people: the people of each cell, rounded; None if the solver found no solution.
    """
    if people is None:
        return None
    A, b = program.tables.equations()
    exact = (A @ people == b).all() and people.min() >= 0
    return program.tables.table(people) if exact else None
