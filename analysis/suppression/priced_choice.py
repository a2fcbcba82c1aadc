"""The choice of columns where prices prove the promise: the coverage choice, and what is heavier.

`composition.margins_bound` is never above the coverage bound and takes linear programs for every
set, so sets are ranked by weight, then by the coverage bound, and the first is kept that either
bound allows. Where coverage allows a set, no program is needed to decide. Of heavier ones those are
tried whose coverage bound is near the target and of which no table is at hand that exposes more; at
most MOST_TRIED of them, of TRIED_CELLS cells together: numbers limit it, not time. With more than
EVERY columns heavier sets are those with one column more, again and again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from numpy.typing import ArrayLike

from ..composition import best_bound
from ..composition.column_sets import bounds_of_all_sets
from ..composition.margins_bound import MOST_CELLS, bad_table, joint_cells, margins_bound
from ..exposure.counts import Integers, positive_counts
from .column_choice import ColumnChoice, Considered, Dropped, Promise
from .column_suppression import Problem, people_allowed

EVERY = 10  # columns of which every set is ranked
MOST_TRIED = 12  # sets of one choice that the linear program decides on
TRIED_CELLS = 4_000  # of these together
EXPLAINED = 1_000  # cells: up to so many together, what a column would take is said by prices

Columns = tuple[int, ...]


@dataclass(slots=True)
class Priced:
    """Which sets of columns are within the target, by coverage or by prices; a choice asks one.

    Attributes:
        columns: counts of each.
        k: the smallest crowd in which nobody is exposed.
        most: people who may be exposed.
        tried, cells: of the sets that the linear program was asked about.
    """

    columns: Sequence[Integers]
    k: int
    most: int
    tried: int = field(default=0, init=False)
    cells: int = field(default=0, init=False)

    @classmethod
    def of(cls, marginals: Sequence[ArrayLike], k: int, target: float) -> "Priced":
        """Of counts of columns, and the share of people who may be exposed, in [0, 1]."""
        columns = positive_counts(marginals)
        return cls(columns, k, people_allowed(target, int(columns[0].sum())))

    def meets(self, chosen: Columns, coverage: int) -> bool:
        """Whether a set is within the target. coverage: people, by that bound."""
        if coverage <= self.most:
            return True
        counts = [self.columns[j] for j in chosen]
        cells = joint_cells(counts, self.k)
        near = coverage <= 2 * self.most + 4 * (self.k - 1)
        room = self.tried < MOST_TRIED and self.cells + cells <= TRIED_CELLS
        if not (near and room and len(chosen) > 1 and cells <= MOST_CELLS):
            return False
        if bad_table(counts, self.k) > self.most:
            return False
        self.tried, self.cells = self.tried + 1, self.cells + cells
        return margins_bound(counts, self.k).people <= self.most

    def first(self, ranked: Iterable[tuple[Columns, int]]) -> Columns | None:
        """The first set within the target. ranked: sets and their coverage bounds, best first."""
        return next((chosen for chosen, people in ranked if self.meets(chosen, people)), None)


def choose_priced(
    marginals: Sequence[ArrayLike],
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> ColumnChoice:
    """The heaviest set of columns that coverage or prices prove to be within the target.

    Never lighter than what `choose_columns` finds by coverage; the certificate is the smaller of
    both bounds. See `choose_columns` for arguments and errors.
    """
    problem = Problem.of(marginals, k, target, weights, "coverage", required, forbidden)
    columns, most = problem.columns, problem.most
    priced = Priced(columns, problem.k, most)
    kept: Columns | None = None
    if problem.safe(problem.required) or not _alone(problem, most):
        kept = problem.solve()
    kept = priced.first(_heavier(problem, kept)) or kept
    if len(columns) - len(problem.forbidden) > EVERY or kept is None:
        kept = _widened(problem, priced, kept or problem.required)
    return ColumnChoice(
        kept=kept,
        weight=float(sum(problem.exact[j] for j in kept)),
        certificate=_proof(problem, kept),
        k=problem.k,
        target=problem.target,
        dropped=tuple(_dropped(problem, kept, most)),
        considered=tuple(_considered(problem, kept)),
    )


def _alone(problem: Problem, most: int) -> bool:
    """Whether the required columns are within the target, by prices."""
    counts = [problem.columns[j] for j in problem.required]
    return margins_bound(counts, problem.k).people <= most


def _heavier(problem: Problem, kept: Columns | None) -> Iterator[tuple[Columns, int]]:
    """The sets that weigh more than the kept one, best first; of few columns."""
    free = [j for j in range(len(problem.columns)) if j not in problem.forbidden]
    if len(free) > EVERY:
        return
    gain = _gain(problem, kept) if kept is not None else -1
    wanted = set(problem.required)
    sets = [
        tuple(chosen)
        for size in range(1, len(free) + 1)
        for chosen in combinations(free, size)
        if wanted <= set(chosen) and _gain(problem, chosen) > gain
    ]
    if not sets:
        return
    people = _coverages(problem, free)
    sets.sort(key=lambda chosen: (-_gain(problem, chosen), people[chosen], chosen))
    yield from ((chosen, people[chosen]) for chosen in sets)


def _widened(problem: Problem, priced: Priced, kept: Columns) -> Columns:
    """A kept set, and columns that can still be added one by one, heaviest first."""
    while True:
        others = [j for j in range(len(problem.columns)) if j not in {*kept, *problem.forbidden}]
        others.sort(key=lambda j: (-problem.gains[j], j))
        wider = (tuple(sorted((*kept, j))) for j in others)
        wider_choice = priced.first((chosen, _coverage(problem, chosen)) for chosen in wider)
        if wider_choice is None:
            return kept
        kept = wider_choice


def _coverages(problem: Problem, free: Sequence[int]) -> dict[Columns, int]:
    """The people of the coverage bound of every set of these columns: of all, if those are few."""
    if len(problem.columns) <= EVERY:
        return problem.bounds_of_sets()
    bounds = bounds_of_all_sets([problem.columns[j] for j in free], problem.k)
    return {tuple(free[j] for j in chosen): people for chosen, people in bounds.items()}


def _gain(problem: Problem, chosen: Columns) -> int:
    return sum(problem.gains[j] for j in chosen)


def _coverage(problem: Problem, chosen: Columns) -> int:
    return best_bound([problem.columns[j] for j in chosen], problem.k).people


def _proof(problem: Problem, chosen: Columns) -> Promise:
    if not chosen:
        return problem.promise(chosen)
    return margins_bound([problem.columns[j] for j in chosen], problem.k)


def _dropped(problem: Problem, kept: Columns, most: int) -> Iterator[Dropped]:
    """What each column that is not kept would take: by prices where the sets are small."""
    wider = {j: tuple(sorted((*kept, j))) for j in range(len(problem.columns)) if j not in kept}
    cells = sum(_cells(problem, chosen) for chosen in wider.values())
    for j, chosen in wider.items():
        largest = problem.largest_k(chosen)
        proof = problem.promise(chosen)
        if cells <= EXPLAINED:
            proof = _proof(problem, chosen)
            largest = _larger_k(problem, chosen, largest, most)
        yield Dropped(j, proof.value, largest, j in problem.forbidden)


def _larger_k(problem: Problem, chosen: Columns, k: int, most: int) -> int:
    """The largest k up to which prices stay within the target, from one that coverage allows."""
    counts = [problem.columns[j] for j in chosen]

    def safe(k: int) -> bool:
        return k <= problem.n and margins_bound(counts, k).people <= most

    step = 1
    while safe(k + step):
        k, step = k + step, 2 * step
    while step > 1:
        step //= 2
        if safe(k + step):
            k += step
    return k


def _cells(problem: Problem, chosen: Columns) -> int:
    return joint_cells([problem.columns[j] for j in chosen], problem.k)


def _considered(problem: Problem, kept: Columns) -> Iterator[Considered]:
    """The sets that coverage looks at, the kept one as it is proved."""
    for candidate in problem.considered(kept):
        value = _proof(problem, kept).value if candidate.columns == kept else candidate.value
        yield Considered(candidate.columns, value, value <= problem.target)
