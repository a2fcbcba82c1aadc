"""Choose the columns to keep by the coverage bound, or a heavier set by the priced bound.

The priced bound, `composition.margins_bound` (an optimum of linear programs, whose dual values are
prices), is never above the coverage bound and takes linear programs for every set. So sets are
ranked by weight, then by the coverage bound, and the first is kept that either bound allows. A set
within the coverage bound needs no program. A heavier set is tried if its coverage bound is near the
target and no known table of it exposes more; at most MOST_TRIED sets, with TRIED_CELLS cells
together: limited by numbers, not by time. With more than EVERY columns the heavier sets have one
column more, repeatedly.
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

EVERY = 10  # most columns for which all sets are ranked
MOST_TRIED = 12  # most sets of columns for which the linear program is solved
# most joint cells, together, of the sets for which the linear program is solved
TRIED_CELLS = 4_000
EXPLAINED = 1_000  # most joint cells, together, of the sets that explain each dropped column

Columns = tuple[int, ...]


@dataclass(slots=True)
class Priced:
    """Decides if sets of columns are within the target, by the coverage or the priced bound.

    It counts the linear programs, which are limited.

    Attributes:
        columns: counts of each column's values.
        k: the smallest equivalence class in which no person is exposed.
        max_exposed: people that may be exposed.
        tried, cells: number and cells of the sets given to the linear program.
    """

    columns: Sequence[Integers]
    k: int
    max_exposed: int
    tried: int = field(default=0, init=False)
    cells: int = field(default=0, init=False)

    @classmethod
    def from_marginals(cls, marginals: Sequence[ArrayLike], k: int, target: float) -> Priced:
        """Return a test of column sets, from counts and the accepted exposed share."""
        columns = positive_counts(marginals)
        return cls(columns, k, people_allowed(target, int(columns[0].sum())))

    def meets(self, chosen: Columns, coverage: int) -> bool:
        """Whether a set of columns is within the target, by the coverage or the priced bound.

        coverage: the coverage bound on exposed people of the set. The priced bound (a linear
        program) is
        computed only if that is too large, but near the target.
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
        """Return the first set within the target, or None.

        `ranked`: sets and their coverage bounds, best first.
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
    """Return the heaviest set of columns within the target, by the coverage or the priced bound.

    Never lighter than the coverage choice of `choose_columns`; the certificate is the smaller of
    both bounds. Errors: see `choose_columns`.

    Args:
        marginals: count arrays with one total n >= 1, one per column.
        k: an integer; a person in a cell of fewer than k people is exposed.
        target: the share of people that may be exposed, in [0, 1].
        weights: a finite number of at least 0 per column, 1 each by default.
        required: columns that are kept in any case.
        forbidden: columns that are dropped in any case.
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
    """Whether the required columns are within the target by the priced bound."""
    counts = [problem.columns[j] for j in problem.required]
    return margins_bound(counts, problem.k).people <= people_limit


def _heavier(
    problem: SuppressionProblem, kept_columns: Columns | None
) -> Iterator[tuple[Columns, int]]:
    """Yield the sets that weigh more than the kept set, with their coverage bounds, best first.

    Only if columns are few; else it yields no set.
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
    """Return a kept set with every column that can be added within the target, heaviest first."""
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
    """Return the coverage bound, in people, of every set of the `free` columns.

    If the problem has at most `EVERY` columns, the result has every set of all its columns.
    """
    if len(problem.columns) <= EVERY:
        return problem.bounds_of_sets()
    bounds = bounds_of_all_sets([problem.columns[j] for j in free], problem.k)
    return {tuple(free[j] for j in columns): people for columns, people in bounds.items()}


def _gain(problem: SuppressionProblem, columns: Columns) -> int:
    """Return the total gain of a set: its weight, and a unit per column to break ties."""
    return sum(problem.gains[j] for j in columns)


def _coverage(problem: SuppressionProblem, columns: Columns) -> int:
    """Return the coverage bound of a set on its exposed people."""
    return best_bound([problem.columns[j] for j in columns], problem.k).people


def _proof(problem: SuppressionProblem, columns: Columns) -> Promise:
    """Return the certificate of a set by the priced bound; without columns no person is exposed."""
    if not columns:
        return problem.promise(columns)
    return margins_bound([problem.columns[j] for j in columns], problem.k)


def _dropped(
    problem: SuppressionProblem, kept_columns: Columns, people_limit: int
) -> Iterator[Dropped]:
    """Yield an explanation of each dropped column, by the priced bound if the sets are small."""
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
    """Return the largest k for which the priced bound is within the target, from a safe k on."""
    counts = [problem.columns[j] for j in columns]

    def safe(k: int) -> bool:
        """Whether the priced bound is within the target at this k."""
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
    """Return the number of joint cells of a set that the priced bound's program has."""
    return joint_cells([problem.columns[j] for j in columns], problem.k)


def _considered(problem: SuppressionProblem, kept_columns: Columns) -> Iterator[Considered]:
    """Yield the sets examined by the coverage bound; the kept set has its certificate's bound."""
    for candidate in problem.considered(kept_columns):
        value = (
            _proof(problem, kept_columns).value
            if candidate.columns == kept_columns
            else candidate.value
        )
        yield Considered(candidate.columns, value, value <= problem.target)
