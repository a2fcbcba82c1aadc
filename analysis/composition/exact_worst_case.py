"""The exact worst case: the most people that any table with these margins exposes.

A margin is a table of known counts, of one column or of several columns together. HiGHS solves an
integer program (`contingency/integer_program.py`), in which values are merged without loss
(`frechet.py`), with inequalities that make it fast (`contingency/cuts.py`). The steps of the search
are in `worst_search.py`.

The exposed people of the table found are counted in whole numbers, so `people` is certain. For
small tables `upper` has a proof by cases in whole numbers (`case_search.py`), which an independent
checker verifies (`check_cases.py`). Without a proof, `upper` relies on the floating-point search of
HiGHS, with its tolerance of 1e-6.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old
from ...errors import ParameterError, VerificationError
from ..contingency import FrechetClass, frechet_class, heuristic_table
from ..contingency.frechet import FrechetTable, KnownJoints, staircase
from ..contingency.integer_program import FrechetProgram
from ..validation import Counts, as_marginals, number, whole
from .check_cases import proved_by_cases
from .worst_bracket import Bracket, SearchLimits, SearchStep, Timer

# Tables with more cells (after rare values are merged) are not searched. The result is then a lower
# and an upper bound.
MOST_CELLS = 50_000
# limit of the nodes of every search tree; beyond, the result has a lower and an upper bound
NODES = 1_000
# rounds of random swaps (changes of the set of unexposed cells) per node of a search tree, if the
# caller sets no rounds
ROUNDS_A_NODE = 5
STOPPED = "stopped by Ctrl-C"
NOT_SOUGHT = "closer was not sought"
LATE = "{:g} s were over, which depends on the machine; nodes and rounds do not"


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """The most people exposed over all tables with the given margins, or a bracket around it.

    Attributes:
        people: exposed in `table`, the worst table found (counted in whole numbers).
        upper: upper bound: no table with these margins exposes more people.
        n, k: people in the table, and people in the smallest crowd that is not exposed.
        seconds: duration of the search.
        table: the worst table found; None if no table was found (then `people` is the exposure of
            the worst known margin, a lower bound for every table).
        why: reason why the search gave up; empty if the maximum is proved.
        timed: whether a limit in seconds ended the search; then another machine finds another
            bracket.
        proof: proof by cases, in whole numbers, that no table exposes more than `upper` people
            (`check_cases.py` checks it); None without a proof.
    """

    people: int
    upper: int
    n: int
    k: int
    seconds: float
    table: FrechetTable | None
    why: str = ""
    timed: bool = False
    proof: bytes | None = None

    @property
    def rule(self) -> str:
        """The name of this bound in a curator's decision: `worst-case`."""
        return "worst-case"

    @property
    def proven(self) -> bool:
        """Whether `people` is proved to be the maximum over all tables with these margins."""
        return self.people == self.upper

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self.why == STOPPED

    @property
    def value(self) -> float:
        """The upper bound on the share of people exposed, 0 to 1."""
        return self.upper / self.n

    def __str__(self) -> str:
        """Return a sentence: the most exposed people, or a bracket, and whether it is proved."""
        people = f"{self.people}" if self.proven else f"{self.people} to {self.upper}"
        proof = "proven" if self.proven else f"not closed: {self.why}"
        return f"at worst {people} of {self.n} people exposed at k = {self.k} ({proof})"

    @accepts_old(known="known_joints")
    def verify(
        self, marginals: Sequence[npt.ArrayLike], known_joints: KnownJoints | None = None
    ) -> None:
        """Raise VerificationError unless the table has these margins and exposes `people`.

        A proof by cases, if it exists, has to prove `upper` from these marginals.

        marginals: counts per column. known_joints: joint counts by group of columns, if any.
        """
        if self.table is None:
            raise VerificationError("worst case: no table was found, nothing to verify")
        columns = as_marginals(marginals)
        shape = [len(counts) for counts in columns]
        known_counts: list[tuple[tuple[int, ...], Any]] = [((j,), c) for j, c in enumerate(columns)]
        for group, counts in [*known_counts, *(known_joints or {}).items()]:
            if not np.array_equal(self.table.margin(group, [shape[j] for j in group]), counts):
                raise VerificationError(
                    f"worst case: its table differs from the given counts of columns {group}"
                )
        if (self.table.counts <= 0).any() or self.table.exposed(self.k) != self.people:
            raise VerificationError(f"worst case: its table does not expose {self.people} people")
        if self.proof is not None:
            proved = proved_by_cases([counts.tolist() for counts in columns], self.k, self.proof)
            if proved > self.upper:
                raise VerificationError(
                    f"worst case: claims at most {self.upper} people; its proof by cases "
                    f"gives {proved}"
                )

    def write_csv(
        self,
        stream: TextIO,
        columns: Sequence[str] | None = None,
        values: Sequence[Sequence[object]] | None = None,
    ) -> None:
        """Write the table, one line per occupied cell: the values, the count, exposed (0 or 1).

        Args:
            stream: open text stream (newline="").
            columns: names of the columns; "column 0", ... by default.
            values: for each column, the names of its values; their indices by default.
        """
        if self.table is None:
            raise ParameterError("write_csv: no table was found; allow the search more nodes")
        cells, counts = self.table.cells, self.table.counts
        names = columns or [f"column {j}" for j in range(cells.shape[1])]
        writer = csv.writer(stream)
        writer.writerow([*names, "count", "exposed"])
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            cell_values = cell if values is None else [values[j][v] for j, v in enumerate(cell)]
            writer.writerow([*cell_values, count, int(count < self.k)])


@accepts_old(known="known_joints")
def worst_case(
    marginals: Sequence[npt.ArrayLike],
    k: int,
    time_limit: float | None = None,
    *,
    known_joints: KnownJoints | None = None,
    nodes: int = NODES,
    rounds: int | None = None,
    seed: int = 0,
    enough: float = 0.0,
    most_cells: int = MOST_CELLS,
    keep: bool = False,
    progress: Callable[[SearchStep], None] | None = None,
) -> WorstCase:
    """Return the most people in cells of fewer than k people, over ALL tables with these marginals.

    Theorems 2 and 3 of paper 000 only bound this number from above. Without `time_limit` the result
    depends on the counts and on the solver, not on the machine's speed.

    Args:
        marginals: counts per column, all with one total n.
        k: people in the smallest cell that is not exposed, a whole number.
        time_limit: seconds, > 0, after which no further step begins. The bracket then depends on
            the machine's speed, `timed` is set, and no command records it. None: no such limit.
        known_joints: joint counts of groups of columns, {(0, 1): table with axes in that order,
            ...}.
        nodes: limit of the nodes of every search tree.
        rounds: limit of the rounds of swaps (random changes of a table, contingency/swaps.py);
            above 2,000 cells fewer, 10 million / cells. None: five for each node.
        seed: seed of the random swaps, a whole number of at least 0.
        enough: share of the people: a first bracket at most this wide is not narrowed.
        most_cells: if the tables have more cells (after rare values are merged), only the first
            bracket is computed.
        keep: if true, Ctrl-C ends the search and the bracket so far is returned; else it is raised.
        progress: called with the bracket at the begin of each step.

    Raises:
        ParameterError: an argument out of range, or no table has all the known counts.
    """
    start, k, columns = perf_counter(), whole(k, "k", 0), as_marginals(marginals)
    limits = _limits(time_limit, (nodes, rounds, whole(most_cells, "most_cells", 0)), seed, enough)
    tables = frechet_class(columns, k, known_joints)
    bracket = Bracket(k, _ceiling(columns, tables, k), progress or (lambda _step: None))
    bracket.meet(None if known_joints else staircase(columns))
    stopped = _close(bracket, tables, limits, keep=keep)
    people, ceiling = _ends(bracket, tables, k)
    timed = limits.timer.over and people < ceiling and not stopped
    if timed:
        stopped = LATE.format(time_limit)
    reason = "" if people == ceiling else stopped or _stop_reason(tables, limits)
    n, took = int(columns[0].sum()), perf_counter() - start
    return WorstCase(people, ceiling, n, k, took, bracket.table, reason, timed, bracket.written)


def _ends(bracket: Bracket, tables: FrechetClass, k: int) -> tuple[int, int]:
    """Return a lower and an upper bound on the most exposed people over all tables.

    The lower bound is the exposed people of the worst table found. Without a table, it is a number
    of people exposed in every table.

    bracket: the worst table found, and the upper bound proved. tables: the class of all tables with
    the given margins. k: people in the smallest cell that is not exposed.
    """
    table = bracket.table
    people = _unavoidable(tables, k) if table is None else table.exposed(k)
    return people, max(bracket.ceiling, people)


def _limits(
    time_limit: float | None, work_limits: tuple[int, int | None, int], seed: int, enough: float
) -> SearchLimits:
    """Check the limits of a search and return them.

    Args:
        time_limit: seconds of wall time; None: no such limit.
        work_limits: limits of the nodes of a search tree, of the rounds of random swaps (None: five
            for each node), and of the cells of a table.
        seed: seed of the random swaps.
        enough: share of the people; a bracket at most this wide is not narrowed.

    Raises ParameterError if a limit is out of range.
    """
    if time_limit is not None and not number(time_limit, "time_limit", "seconds > 0") > 0:
        raise ParameterError(f"time_limit: found {time_limit!r}; needs seconds > 0")
    nodes, rounds, cells = whole(work_limits[0], "nodes", 1), *work_limits[1:]
    rounds = ROUNDS_A_NODE * nodes if rounds is None else whole(rounds, "rounds", 0)
    share = number(enough, "enough", "a share of the people from 0 to 1")
    if not 0 <= share <= 1:
        raise ParameterError(f"enough: found {enough!r}; needs a share of the people from 0 to 1")
    return SearchLimits(nodes, rounds, cells, whole(seed, "seed", 0), share, Timer(time_limit))


def _close(bracket: Bracket, tables: FrechetClass, limits: SearchLimits, *, keep: bool) -> str:
    """Search until the worst table found meets the upper bound on exposed people.

    Returns a reason if Ctrl-C ended the search, or if the two bounds are close enough without a
    search. Otherwise the result is "": the bounds meet, the table is too large to be searched, or
    the search came to its limits.

    keep: whether Ctrl-C ends the search instead of being raised.
    """
    if tables.cells > MOST_CELLS:
        return ""
    # the integer program needs k >= 1; k = 0 exposes no person, as k = 1 does
    k = max(bracket.k, 1)
    if bracket.table is not None:
        bracket.meet(heuristic_table(tables, k))
    if bracket.closed:
        return ""
    if bracket.open <= limits.enough * tables.margins[0].counts.sum():
        return NOT_SOUGHT
    if tables.cells > limits.cells:
        return ""
    try:
        from .worst_search import search

        search(FrechetProgram(tables, k), bracket, limits)
    except KeyboardInterrupt:
        if not keep:
            raise
        return STOPPED
    return ""


def _stop_reason(tables: FrechetClass, limits: SearchLimits) -> str:
    """Return, in words, why the search for the worst table did not begin, or reached its limits.

    tables: the class of all tables with the given margins. limits: limits of cells, nodes and
    swaps.
    """
    cells = min(limits.cells, MOST_CELLS)
    if tables.cells > cells:
        return f"{tables.cells:,} cells are more than the {cells:,} that are searched"
    rounds = f"{limits.rounds:,} rounds of swaps"
    return f"{rounds} and {limits.nodes:,} nodes of every search tree were not enough"


def _ceiling(columns: list[Counts], tables: FrechetClass, k: int) -> int:
    """Return an upper bound on the exposed people without a search: the coverage bound.

    This bound uses the counts of single columns alone. For a single column the result is exact.

    columns: counts of each column. tables: the class of all tables with the known counts. k: people
    in the smallest cell that is not exposed.
    """
    from .bounds import smallest_bound

    if k <= 1:
        return 0
    if len(tables.shape) == 1:
        return int(columns[0][columns[0] < k].sum())
    return int(smallest_bound(columns, k).people)


def _unavoidable(tables: FrechetClass, k: int) -> int:
    """Return a number of people that every table of the class exposes.

    Each known table of counts shows people in cells of fewer than k, and each column shows people
    with values of fewer than k. The largest of these numbers is returned.
    """
    merged = [labels.rare_counts.sum() if len(labels.rare) else 0 for labels in tables.labels]
    rare_people = [int(m.counts[m.counts < k].sum()) for m in tables.margins]
    return max([*rare_people, *(int(r) for r in merged)])
