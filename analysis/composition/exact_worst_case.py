"""The exact worst case: the most people that any table with these margins exposes.

`contingency/integer_program.py` has the integer program, `frechet.py` what is merged,
`contingency/cuts.py` the inequalities that make it fast; SciPy's HiGHS solves it. What it finds is
checked in whole numbers, so `people` is certain. What it proves (`upper`) is as good as HiGHS's
floating-point search with its tolerance of 1e-6; `partial.margin_bound` gives the relaxation's
bound with a certificate in whole numbers.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from time import perf_counter
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError, VerificationError
from ..contingency import FrechetClass, frechet_class, heuristic_table, solve
from ..contingency.descent import INFEASIBLE, climb
from ..contingency.frechet import Known, Table, staircase
from ..contingency.integer_program import TOLERANCE, Program, relax
from ..validation import Counts, Floats, as_marginals, number, whole

# Above this many cells (after merging) only bounds are given.
MOST_CELLS = 50_000
# Share of the time for plain branching; the ladder (`contingency/descent.py`) has the rest.
FIRST_SHARE = 0.4


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """The most people exposed over all tables with the given margins, or a bracket around it.

    Attributes:
        people: exposed in `table`, the worst table found (checked in whole numbers).
        upper: no table with these margins exposes more.
        n, k: people in the table, and the crowd size.
        seconds: time it took.
        table: the worst table found; None if none was found in time (then `people` is the
            exposure of the worst known margin, which every table has at least).
        why: why the search gave up; empty where the maximum is proven.
    """

    people: int
    upper: int
    n: int
    k: int
    seconds: float
    table: Table | None
    why: str = ""

    @property
    def rule(self) -> str:
        """The name under which a decision cites this."""
        return "worst-case"

    @property
    def proven(self) -> bool:
        """Whether `people` is the maximum."""
        return self.people == self.upper

    @property
    def value(self) -> float:
        """The share of people exposed, at most."""
        return self.upper / self.n

    def __str__(self) -> str:
        people = f"{self.people}" if self.proven else f"{self.people} to {self.upper}"
        proof = "proven" if self.proven else f"not closed in {self.seconds:.1f} s: {self.why}"
        return f"at worst {people} of {self.n} people exposed at k = {self.k} ({proof})"

    def verify(self, marginals: Sequence[npt.ArrayLike], known: Known | None = None) -> None:
        """Raises VerificationError unless the table has these margins and exposes `people`."""
        if self.table is None:
            raise VerificationError("worst case: no table was found in time, nothing to verify")
        columns = as_marginals(marginals)
        shape = [len(counts) for counts in columns]
        given: list[tuple[tuple[int, ...], Any]] = [((j,), c) for j, c in enumerate(columns)]
        for group, counts in [*given, *(known or {}).items()]:
            if not np.array_equal(self.table.margin(group, [shape[j] for j in group]), counts):
                raise VerificationError(f"worst case: its table has another margin on {group}")
        if (self.table.counts <= 0).any() or self.table.exposed(self.k) != self.people:
            raise VerificationError(f"worst case: its table does not expose {self.people} people")

    def write_csv(
        self,
        stream: TextIO,
        columns: Sequence[str] | None = None,
        values: Sequence[Sequence[object]] | None = None,
    ) -> None:
        """Writes the table, one line per occupied cell: the values, the count, exposed (0 or 1).

        Args:
            stream: open text stream (newline="").
            columns: names of the columns; "column 0", ... by default.
            values: names of each column's values; their indices by default.
        """
        if self.table is None:
            raise ParameterError("write_csv: no table was found in time; raise time_limit")
        cells, counts = self.table.cells, self.table.counts
        names = columns or [f"column {j}" for j in range(cells.shape[1])]
        writer = csv.writer(stream)
        writer.writerow([*names, "count", "exposed"])
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            named = cell if values is None else [values[j][v] for j, v in enumerate(cell)]
            writer.writerow([*named, count, int(count < self.k)])


def worst_case(
    marginals: Sequence[npt.ArrayLike],
    k: int,
    time_limit: float = 60.0,
    *,
    known: Known | None = None,
) -> WorstCase:
    """The most people in cells of fewer than k people, over ALL tables with these marginals.

    Beyond paper 000: its Theorems 2 and 3 bound this number from above, this computes it. With
    `known`, the tables must also have these joint counts.

    Args:
        marginals: counts per column, all with one total n.
        k: crowd size, a whole number.
        time_limit: seconds after which the best bracket so far is returned, > 0.
        known: joint counts of groups of columns, {(0, 1): table with axes in that order, ...}.

    Returns:
        The result; it says whether the maximum is proven.

    Raises:
        ParameterError: an argument out of range, or no table has all the known counts.
    """
    start, k = perf_counter(), whole(k, "k", 0)
    if not number(time_limit, "time_limit", "seconds > 0") > 0:
        raise ParameterError(f"time_limit: found {time_limit!r}; needs seconds > 0")
    columns = as_marginals(marginals)
    tables = frechet_class(columns, k, known)
    n = int(columns[0].sum())
    ceiling = _ceiling(columns, tables, k)
    table = None if known else staircase(columns)
    if table is not None and tables.cells <= MOST_CELLS:
        table = max(table, heuristic_table(tables, max(k, 1)), key=lambda each: each.exposed(k))
    floor_people = _unavoidable(tables, k)
    if tables.cells <= MOST_CELLS and (table is None or table.exposed(k) < ceiling):
        # k = 0 and k = 1 expose nobody alike; the program needs k - 1 >= 0.
        table, ceiling = _solve(tables, max(k, 1), table, ceiling, start + time_limit)
    people = floor_people if table is None else table.exposed(k)
    ceiling = max(ceiling, people)
    why = "" if people == ceiling else _why(tables, time_limit)
    return WorstCase(people, ceiling, n, k, perf_counter() - start, table, why)


def _why(tables: FrechetClass, time_limit: float) -> str:
    """Why a search gave up: it was not begun, or not ended."""
    if tables.cells > MOST_CELLS:
        return f"{tables.cells:,} cells are more than the {MOST_CELLS:,} that are searched"
    return f"{time_limit:g} s were not enough"


def _solve(
    tables: FrechetClass, k: int, start: Table | None, ceiling: int, deadline: float
) -> tuple[Table | None, int]:
    """The worst table found by the deadline, `start` or better, and the proven ceiling."""
    program = Program(tables, k)
    cuts, value = relax(program, ceiling, deadline)
    ceiling = min(ceiling, floor(value + TOLERANCE))
    pause = perf_counter() + FIRST_SHARE * (deadline - perf_counter())
    result = solve(program, cuts, ceiling, pause, whole_numbers=True)
    if result.status == INFEASIBLE:
        raise ParameterError("known: no table has all of these counts")
    if result.mip_dual_bound is not None:
        ceiling = min(ceiling, floor(-result.mip_dual_bound + TOLERANCE))
    table = _worse(start, _table(program, result.x), k)
    best = -1 if table is None else table.exposed(k)
    if best < ceiling:
        solution, ceiling = climb(program, cuts, best, ceiling, deadline)
        table = _worse(table, _table(program, solution), k)
    return table, ceiling


def _worse(first: Table | None, other: Table | None, k: int) -> Table | None:
    """The table that exposes more, the first on a tie."""
    tables = [table for table in (first, other) if table is not None]
    return max(tables, key=lambda table: table.exposed(k), default=None)


def _table(program: Program, solution: Floats | None) -> Table | None:
    """The table of a solution, if it has exactly the given margins once rounded."""
    if solution is None:
        return None
    people = program.people(solution)
    A, b = program.tables.equations()
    exact = np.array_equal(A.astype(np.int64) @ people, b) and people.min() >= 0
    return program.tables.table(people) if exact else None


def _ceiling(columns: list[Counts], tables: FrechetClass, k: int) -> int:
    """The coverage bound, which needs no search."""
    from .bounds import best_bound

    if k <= 1:
        return 0
    if len(tables.shape) == 1:
        return int(columns[0][columns[0] < k].sum())
    return int(best_bound(columns, k).people)


def _unavoidable(tables: FrechetClass, k: int) -> int:
    """People exposed in every table: those in a small cell of one known margin."""
    merged = [labels.rare_counts.sum() if len(labels.rare) else 0 for labels in tables.labels]
    kept = [int(m.counts[m.counts < k].sum()) for m in tables.margins]
    return max([*kept, *(int(r) for r in merged)])
