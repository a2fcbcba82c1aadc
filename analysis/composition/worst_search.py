"""The search behind the exact worst case: its steps, which close the bracket.

The bracket is between the exposed people of the worst table found and the upper bound proved.

    relaxation with cuts     the first upper bound
    cases                    closes small tables, with a proof in whole numbers (case_search.py)
    a tree, a few nodes      closes small tables
    supports that match      worse tables (contingency/matching.py)
    swaps                    worse tables (contingency/swaps.py)
    steps down               a smaller upper bound, or the worst table (contingency/descent.py)

If a limit or Ctrl-C stops it, the bracket holds the best table and bound so far.
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

# MATCHES: limit of the supports (sets of unexposed cells) that are tried by matching. DEARER:
# number of swaps that take as long as the trial of one support.
MATCHES, DEARER = 200, 10
FIRST_NODES = 20  # limit of the nodes of the first search tree
# Limit of cells times proposed swaps, because each swap takes longer with more cells.
MOST_WORK = 10_000_000
REPORT_INTERVAL = 100  # proposed swaps between two reports of progress


def search(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Narrow the bracket of the worst case (most exposed people over all tables) within limits.

    Args:
        program: the integer program of the tables with the given margins.
        bracket: the worst table and the upper bound so far; improved in place.
        limits: limits of the work.

    Raises:
        ParameterError: there is no table.
        KeyboardInterrupt: Ctrl-C; the bracket holds the best table and bound so far.
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
    """Search for a proof by cases in whole numbers, for small tables known by single columns.

    The upper bound and the worse tables found go into the bracket. Other tables are skipped.
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
    # The checker numbers the values of a column from the most frequent down, with the merged rare
    # values last; `places` translates its numbers into those of the program.
    places = [
        [*np.argsort(-counts, kind="stable").tolist(), len(counts)][:size]
        for counts, size in zip(kept_counts, tables.shape, strict=True)
    ]

    def meet(people: Counts) -> int:
        """Take over a table that the search met; return the most exposed people so far.

        people: the people of each cell, in the checker's order.
        """
        placed = np.empty(tables.shape, np.int64)
        placed[np.ix_(*places)] = people.reshape(tables.shape)
        bracket.meet(tables.table(placed.ravel()))
        return bracket.people

    def stop(nodes: int, people: int) -> bool:
        """Lower the upper bound to `people`, and report; return whether the time is over."""
        bracket.prove(people)
        if nodes % REPORT_INTERVAL < 2:
            bracket.say(f"node {nodes:,} of {limits.nodes:,} of a proof by cases")
        return limits.timer()

    bracket.say("proof by cases")
    proof = search_cases(columns, program.k, bracket.people, limits.nodes, meet=meet, stop=stop)
    bracket.prove(proof.people)
    bracket.proof = proof


def _match(program: FrechetProgram, bracket: Bracket, limits: SearchLimits) -> None:
    """Search for worse tables: choose values of unexposed cells to match the counts.

    The cells have k people or more; sums of the people of subsets of cells are compared.
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
    """Search for worse tables by random swaps of unexposed cells."""
    rounds = min(limits.rounds, MOST_WORK // program.tables.cells)

    def watch(swapped: SwapResult) -> bool:
        """Keep the swapped table if it exposes more people; return whether swaps may continue."""
        bracket.meet(swapped.table)
        if swapped.rounds % REPORT_INTERVAL == 0:
            bracket.say(f"round {swapped.rounds:,} of {rounds:,} of swaps")
        return not limits.timer()

    bracket.meet(swap(program, bracket.table, bracket.ceiling, rounds, limits.seed, watch).table)


def _climb(program: FrechetProgram, cuts: Any, bracket: Bracket, limits: SearchLimits) -> None:
    """Lower the upper bound by limiting the number of unexposed cells, step by step.

    If the search ends, it gives the worst table itself.
    """

    def report(rung: Rung) -> None:
        """Take over the upper bound that a step proved, and report the step."""
        bracket.prove(rung.ceiling)
        bracket.say(f"tables with at most {rung.cells} unexposed cells")

    best, ceiling = bracket.people, bracket.ceiling
    top = climb(program, cuts, best, ceiling, limits.nodes, report, limits.timer)
    bracket.prove(top.ceiling)
    bracket.meet(_table(program, top.people))


def _table(program: FrechetProgram, people: Counts | None) -> FrechetTable | None:
    """Return a solution as a table; None unless it has exactly the given margins.

    people: the people of each cell; None without a solution.
    """
    if people is None:
        return None
    A, b = program.tables.equations()
    exact = (A @ people == b).all() and people.min() >= 0
    return program.tables.table(people) if exact else None
