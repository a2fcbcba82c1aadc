"""Choose the columns to keep with a sharper bound on exposed people, from linear programs.

The coverage bound is a formula of the column counts (`composition/coverage.py`). The
linear-programming bound, `composition.margins_bound`, is never larger, but takes linear programs
for every set of columns. A set is within the target if either bound is.

Sets are ranked by weight, then by the coverage bound, and the first set within the target is kept.
A program is solved only for a set with a coverage bound not far above the target. A heuristic must
also find no table in which the set exposes more people than the target allows. At most MOST_TRIED
sets are tried, with TRIED_CELLS cells together; the limits are numbers, not times, so that results
are reproducible. With more than EVERY columns, columns are added one by one to the choice by the
coverage bound, while the set stays within the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from numpy.typing import ArrayLike

from ..composition import best_bound
from ..composition.column_sets import bounds_of_all_sets
from ..composition.margins_bound import MOST_CELLS, bad_table, joint_cells, margins_bound
from ..exposure.counts import Integers, positive_counts
from .column_choice import ColumnChoice, Considered, Dropped, Promise
from .column_suppression import SuppressionProblem, people_allowed

EVERY = 10  # most columns for which all sets of columns are ranked; more are added one by one
# Most sets of columns for which the linear program of margins_bound bounds the exposed people. Any
# further set is accepted only if its coverage bound (a formula of the column counts) is within the
# target.
MOST_TRIED = 12
# Most joint cells in total, over the sets of columns for which a linear program is solved. A set
# with more cells than are left is accepted only if its coverage bound is within the target.
TRIED_CELLS = 4_000
# Most joint cells in total, over the sets "kept columns and one dropped column", for which linear
# programs explain why the column is dropped. With more cells the coverage bound explains it.
EXPLAINED = 1_000

Columns = tuple[int, ...]


@dataclass(slots=True)
class Priced:
    """A test of sets of columns against a target, by either of two bounds on exposed people.

    The coverage bound is a formula of the column counts. The bound of a linear program is smaller
    but slower, so the programs are counted and limited.

    Attributes:
        columns: counts of each column's values.
        k: the smallest equivalence class in which no person is exposed.
        max_exposed: people that may be exposed.
        tried: number of sets given to a linear program.
        cells: joint cells of these sets, in total.
    """

    columns: Sequence[Integers]
    k: int
    max_exposed: int
    tried: int = field(default=0, init=False)
    cells: int = field(default=0, init=False)

    @classmethod
    def from_marginals(cls, marginals: Sequence[ArrayLike], k: int, target: float) -> Priced:
        """Return a test of column sets, from the column counts, k, and the target.

        The target is the share of people that may be exposed.
        """
        columns = positive_counts(marginals)
        return cls(columns, k, people_allowed(target, int(columns[0].sum())))

    def meets(self, chosen: Columns, coverage: int) -> bool:
        """Whether a set of columns is within the target, by a formula or by a linear program.

        Both give upper bounds on exposed people. The formula is the coverage bound. The program is
        solved only if the coverage bound is too large, but near the target.

        Args:
            chosen: the columns.
            coverage: the coverage bound of the set, in people, computed from the column counts.
        """
        if coverage <= self.max_exposed:
            return True
        counts = [self.columns[j] for j in chosen]
        cells = joint_cells(counts, self.k)
        is_near = coverage <= 2 * self.max_exposed + 4 * (self.k - 1)
        room = self.tried < MOST_TRIED and self.cells + cells <= TRIED_CELLS
        if not (is_near and room and len(chosen) > 1 and cells <= MOST_CELLS):
            return False
        if bad_table(counts, self.k) > self.max_exposed:
            return False
        self.tried, self.cells = self.tried + 1, self.cells + cells
        return margins_bound(counts, self.k).people <= self.max_exposed

    def first(self, ranked: Iterable[tuple[Columns, int]]) -> Columns | None:
        """Return the first set of columns within the target, or None.

        The target limits the exposed people. `ranked`: sets of columns in order of preference, each
        with its coverage bound, an upper bound on exposed people.
        """
        return next((columns for columns, people in ranked if self.meets(columns, people)), None)


def choose_priced(
    marginals: Sequence[ArrayLike],
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> ColumnChoice:
    """Return the columns to keep: the largest weight found within the target, by two bounds.

    Both bounds on exposed people need only the column counts. The coverage bound is a formula; the
    bound of a linear program is never larger. The choice is never lighter than that of
    `choose_columns` with the coverage bound. Its certificate is the smaller of both bounds.

    Args:
        marginals: count arrays with one total n >= 1, one per column.
        k: an integer; a person in a cell of fewer than k people is exposed.
        target: the share of people that may be exposed, in [0, 1].
        weights: a finite number of at least 0 per column, 1 each by default.
        required: columns that are kept in any case.
        forbidden: columns that are dropped in any case.

    Raises:
        ParameterError: as in `choose_columns`.
    """
    problem = SuppressionProblem.from_marginals(
        marginals, k, target, weights, "coverage", required, forbidden
    )
    columns, people_limit = problem.columns, problem.max_exposed
    priced = Priced(columns, problem.k, people_limit)
    kept_columns: Columns | None = None
    if problem.safe(problem.required) or not _are_required_safe(problem, people_limit):
        kept_columns = problem.solve()
    kept_columns = priced.first(_heavier(problem, kept_columns)) or kept_columns
    if len(columns) - len(problem.forbidden) > EVERY or kept_columns is None:
        kept_columns = _widened(problem, priced, kept_columns or problem.required)
    return ColumnChoice(
        kept=kept_columns,
        weight=float(sum(problem.exact[j] for j in kept_columns)),
        certificate=_proof(problem, kept_columns),
        k=problem.k,
        target=problem.target,
        dropped=tuple(_dropped(problem, kept_columns, people_limit)),
        considered=tuple(_considered(problem, kept_columns)),
    )


def _are_required_safe(problem: SuppressionProblem, people_limit: int) -> bool:
    """Whether the required columns expose at most `people_limit` people.

    Exposed people are bounded by a linear program over the joint cells of these columns.
    """
    counts = [problem.columns[j] for j in problem.required]
    return margins_bound(counts, problem.k).people <= people_limit


def _heavier(
    problem: SuppressionProblem, kept_columns: Columns | None
) -> Iterator[tuple[Columns, int]]:
    """Yield the sets of columns with a larger total weight than the kept set, the heaviest first.

    Each set comes with the coverage bound, an upper bound on exposed people. With more than `EVERY`
    columns no set is yielded. kept_columns: the kept set; None: any set is heavier.
    """
    free = [j for j in range(len(problem.columns)) if j not in problem.forbidden]
    if len(free) > EVERY:
        return
    gain = _gain(problem, kept_columns) if kept_columns is not None else -1
    required_columns = set(problem.required)
    sets = [
        tuple(columns)
        for size in range(1, len(free) + 1)
        for columns in combinations(free, size)
        if required_columns <= set(columns) and _gain(problem, columns) > gain
    ]
    if not sets:
        return
    people = _coverages(problem, free)
    sets.sort(key=lambda columns: (-_gain(problem, columns), people[columns], columns))
    yield from ((columns, people[columns]) for columns in sets)


def _widened(problem: SuppressionProblem, priced: Priced, kept_columns: Columns) -> Columns:
    """Return the kept columns and every column that can be added within the target, heaviest first.

    The target limits the exposed people. priced: the test whether a set is within the target.
    """
    while True:
        further_columns = [
            j for j in range(len(problem.columns)) if j not in {*kept_columns, *problem.forbidden}
        ]
        further_columns.sort(key=lambda j: (-problem.gains[j], j))
        wider = (tuple(sorted((*kept_columns, j))) for j in further_columns)
        wider_choice = priced.first((columns, _coverage(problem, columns)) for columns in wider)
        if wider_choice is None:
            return kept_columns
        kept_columns = wider_choice


def _coverages(problem: SuppressionProblem, free: Sequence[int]) -> dict[Columns, int]:
    """Return an upper bound on exposed people for every set of the `free` columns.

    The bound is the coverage bound, a formula of the column counts. If the problem has at most
    `EVERY` columns, sets with other columns are in the result too.
    """
    if len(problem.columns) <= EVERY:
        return problem.bounds_of_sets()
    bounds = bounds_of_all_sets([problem.columns[j] for j in free], problem.k)
    return {tuple(free[j] for j in columns): people for columns, people in bounds.items()}


def _gain(problem: SuppressionProblem, columns: Columns) -> int:
    """Return the gain of a set of columns: the weight, and a unit per column to break ties."""
    return sum(problem.gains[j] for j in columns)


def _coverage(problem: SuppressionProblem, columns: Columns) -> int:
    """Return the coverage bound of a set of columns: an upper bound on exposed people.

    The bound is a formula of the column counts.
    """
    return best_bound([problem.columns[j] for j in columns], problem.k).people


def _proof(problem: SuppressionProblem, columns: Columns) -> Promise:
    """Return a certificate: a provable upper bound on the people that a set of columns exposes.

    The bound is that of a linear program, or the coverage bound (a formula of the column counts) if
    the program is no better. Without columns no person is exposed.
    """
    if not columns:
        return problem.promise(columns)
    return margins_bound([problem.columns[j] for j in columns], problem.k)


def _dropped(
    problem: SuppressionProblem, kept_columns: Columns, people_limit: int
) -> Iterator[Dropped]:
    """Yield an explanation of each dropped column: the bound on exposed people with the column.

    The column is added to the kept columns. If the resulting sets have few joint cells in total,
    the bound is that of a linear program, else the coverage bound, a formula of the column counts.
    """
    wider = {
        j: tuple(sorted((*kept_columns, j)))
        for j in range(len(problem.columns))
        if j not in kept_columns
    }
    cells = sum(_cells(problem, columns) for columns in wider.values())
    for j, columns in wider.items():
        largest = problem.largest_k(columns)
        proof = problem.promise(columns)
        if cells <= EXPLAINED:
            proof = _proof(problem, columns)
            largest = _larger_k(problem, columns, largest, people_limit)
        yield Dropped(j, proof.value, largest, j in problem.forbidden)


def _larger_k(problem: SuppressionProblem, columns: Columns, k: int, people_limit: int) -> int:
    """Return the largest k found at which a set of columns exposes at most `people_limit` people.

    The bound on exposed people is that of a linear program. The search starts at `k`, which is
    within the limit.
    """
    counts = [problem.columns[j] for j in columns]

    def safe(k: int) -> bool:
        """Whether the linear-programming bound on exposed people is within the limit at this k."""
        return k <= problem.n and margins_bound(counts, k).people <= people_limit

    step = 1
    while safe(k + step):
        k, step = k + step, 2 * step
    while step > 1:
        step //= 2
        if safe(k + step):
            k += step
    return k


def _cells(problem: SuppressionProblem, columns: Columns) -> int:
    """Return the number of joint cells in the linear program that bounds the exposed people.

    `columns` is the set of columns; values of fewer than k people count as one value.
    """
    return joint_cells([problem.columns[j] for j in columns], problem.k)


def _considered(problem: SuppressionProblem, kept_columns: Columns) -> Iterator[Considered]:
    """Yield the examined sets of columns, each with an upper bound on the share of exposed people.

    The bound of the kept set is that of its certificate. The bound of every other set is the
    coverage bound, a formula of the column counts.
    """
    for candidate in problem.considered(kept_columns):
        value = (
            _proof(problem, kept_columns).value
            if candidate.columns == kept_columns
            else candidate.value
        )
        yield Considered(candidate.columns, value, value <= problem.target)
