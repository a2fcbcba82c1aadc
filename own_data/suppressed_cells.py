"""Advice with suppressed cells: columns become coarser or are dropped, single cells are suppressed.

A choice is a generalization level for each searched column j (a column that may become
coarser). Its loss is the loss of its levels, plus weight_j (1 - loss_j) / n for each
suppressed cell of column j. Here n is the number of rows, weight_j the column's share
of all weights, and loss_j the loss of its level: a suppressed cell loses the rest of
the column's information for its row.

The released rows then form equivalence classes of at least k people that meet the
targets of sensitive columns; a suppressed cell counts as a value. Every person below k
needs a suppressed cell, and so do rows of classes that miss a target
(`ClassTargets.leaving`). This gives a lower bound on the loss of a choice, and choices
are tried in the order of this bound. If all choices are counted, the bound of the
advice holds for all of them. Otherwise it is the bound of the search for levels
(`analysis.advice`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import product
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from ..analysis.advice import Advice, Choice, search
from ..analysis.suppression.cheapest_cells import CheapestCells, suppress_cheapest
from ..analysis.suppression.class_targets import ROUNDING, ClassTargets, ValueTarget
from ..analysis.suppression.target_cells import suppress_for_targets
from ..errors import DataError, ParameterError
from .judges import Truth, coarse_codes

# A choice is a generalization level for each column. Up to this number of choices, the people below
# k are counted for every choice, so that no search for choices is needed.
COUNTED = 3_000
# largest number of rows times choices for which every choice is counted; above it, a search finds
# the choices
ROWS = 120_000_000
# After this number of choices of levels, no further suppressed cells are computed, because that is
# slow; the other choices count in the lower bound only.
LOOKS = 16
# Most searches that charge each person below k the loss of a suppressed cell. Each begins with the
# limit of cells that the result before allows.
SEARCHES = 3
# Expected number of suppressed cells for each person below k. A search limits people, so the
# accepted number of cells is divided by it.
CELLS = 1.3
# in place of ROWS, if sensitive values or persons with several rows are counted, which takes longer
JUDGED = 30_000_000
# largest number of rows times steps of a search, to limit its time: a step reads every row
READ = 750_000_000
# After this number of choices within the accepted number of suppressed cells, no further choice
# that needs suppressed cells is computed; it counts in the lower bound only.
TRIED = 8
STEPS = 10_000  # most steps of a search for levels; for large tables READ allows fewer
Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SuppressedCells:
    """The suppressed cells of a choice of levels, with the loss that they cause.

    A choice is a generalization level for each searched column, which may become coarser.

    Attributes:
        mask: whether a cell is suppressed, shape (rows, searched columns).
        loss: the share of the table's weighted information that these cells lose, 0 to 1.
        lower: a lower bound on the loss of any suppression with the same levels.
        limit: the largest accepted number of suppressed cells.
        total: number of all cells of searched columns that are not dropped.
    """

    mask: NDArray[np.bool_]
    loss: float
    lower: float
    limit: int
    total: int

    @property
    def suppressed(self) -> int:
        """The number of suppressed cells."""
        return int(np.count_nonzero(self.mask))

    @property
    def rows(self) -> int:
        """The number of rows with a suppressed cell."""
        return int(np.count_nonzero(self.mask.any(axis=1)))


def advice_with_cells(
    cells_of: "CellsOfLevels", steps: int | None, progress: Callable[[str], None]
) -> Advice:
    """Return the levels and suppressed cells with the least loss, as advice.

    cells_of: gives the cells to suppress for generalization levels of the columns. steps:
    most steps of the search for levels; None: a default. ParameterError if no choice
    reaches the target.
    """
    choices = cells_of
    _check_top(choices)
    counted, lowest, counts = choices.counted(steps, progress)
    best: Choice | None = None
    evaluated: list[Choice] = []
    looks, ratio, judged = 0, np.inf, JUDGED // choices.rows
    heap = [(choices.lower(levels, people), levels, people, -1) for levels, people in counted]
    heapify(heap)
    while heap:
        low, levels, people, needing = heappop(heap)
        base, limit = choices.base(levels), choices.limit(levels)
        if best is not None and low >= best.loss:
            lowest = min(lowest, low)
            break
        # each of these rows needs a suppressed cell: more than may be suppressed
        if max(people, needing) > limit:
            continue
        if needing < 0:
            judged -= not choices.is_judged(levels)
            if judged < 0:
                lowest = min(lowest, low)
            else:
                needing = choices.needing(levels, people)
                heappush(heap, (choices.lower(levels, needing), levels, people, needing))
            continue
        expected = needing * ratio if looks else needing
        if needing and (expected > limit or looks >= LOOKS or len(evaluated) >= TRIED):
            lowest = min(lowest, low)
            continue
        looks += 1
        progress(f"suppressing cells, choice {looks}")
        cells = choices.at(levels)
        if cells is None:  # no suppression was found, but there may be a safe one
            lowest = min(lowest, low)
            continue
        ratio = min(ratio, cells.suppressed / needing) if needing else ratio
        lowest = min(lowest, base + cells.lower)
        if cells.suppressed > limit:
            continue
        choice = Choice(levels, base + cells.loss, people)
        evaluated.append(choice)
        if best is None or choice.loss < best.loss:
            best = choice
    if best is None:
        best = choices.choice(choices.top)
        evaluated.append(best)
    return Advice(best, min(lowest, best.loss), tuple(evaluated), counts)


def _check_top(choices: "CellsOfLevels") -> None:
    """Raise ParameterError if the target is missed even with all searched columns dropped.

    The target is k and the targets of sensitive columns; searched columns may become
    coarser.
    """
    truth = choices.truth
    if not choices.needing(choices.top, truth.below(choices.top)):
        return
    people, missed = truth(choices.top), f"are below k = {truth.k}"
    if truth.targets.targets:
        missed = f"miss k = {truth.k} or a target"
    raise ParameterError(
        f"{people:,} of {truth.table.n:,} people {missed} if all searched columns are dropped: "
        "no choice is safe; keep fewer columns, or take a smaller k"
    )


class CellsOfLevels:
    """The suppressed cells for each choice of levels, with losses, computed on request and cached.

    In all methods, `levels` holds the generalization level of each searched column, a
    column that may become coarser.
    """

    def __init__(self, truth: Truth, share: float) -> None:
        """Prepare the columns that may become coarser, and their weights in the loss.

        truth: the count of people that miss the target. share: the largest accepted share of
        suppressed cells, among cells of columns that are not dropped.
        """
        self.truth, self.share = truth, share
        self._cells_of_levels: dict[Levels, SuppressedCells | None] = {}
        self.rows = len(truth.table.codes)
        self.targets = class_targets(truth)
        self._needing: dict[Levels, int] = {}
        self.ladders = [column.ladder for column in truth.columns]
        whole = sum(ladder.weight for ladder in self.ladders)
        self.weights = [ladder.weight / whole for ladder in self.ladders]
        self.top = tuple(len(ladder.levels) - 1 for ladder in self.ladders)

    def base(self, levels: Sequence[int]) -> float:
        """Return the loss of coarser and dropped columns, without suppressed cells, 0 to 1."""
        return sum(
            weight * ladder.levels[level].loss
            for weight, ladder, level in zip(self.weights, self.ladders, levels, strict=True)
        )

    def active(self, levels: Levels) -> list[int]:
        """Return the positions, among the searched columns, of the columns that are not dropped.

        levels: the generalization level of each searched column.
        """
        return [j for j, level in enumerate(levels) if level < self.top[j]]

    def limit(self, levels: Levels) -> int:
        """Return the largest accepted number of suppressed cells with these levels.

        levels: the generalization level of each searched column.
        """
        return int(self.share * self.rows * len(self.active(levels)))

    def price(self, levels: Levels, j: int) -> float:
        """Return the loss of a suppressed cell of column j, a share of the table's information.

        levels: the generalization level of each searched column.
        """
        return self.weights[j] * (1 - self.ladders[j].levels[levels[j]].loss) / self.rows

    def lower(self, levels: Levels, needing: int) -> float:
        """Return a lower bound on the loss of these levels and the suppressed cells they need.

        The bound is the loss of the levels, plus the smallest loss of a cell for each of
        `needing` rows. needing: rows in equivalence classes that are too small or miss a
        target; each needs a suppressed cell.
        """
        prices = [self.price(levels, j) for j in self.active(levels)]
        return self.base(levels) + needing * min(prices, default=0.0)

    @property
    def plain(self) -> bool:
        """Whether k is the only target, and each person has one row."""
        return self.targets.owner is None and not self.targets.columns

    def is_judged(self, levels: Levels) -> bool:
        """Whether the number of rows that need a suppressed cell is known without counting.

        If k is the only target and each person has one row (`plain`), it is the number of people
        below k. Otherwise it is known if it was counted before. levels: the generalization level of
        each searched column.
        """
        return self.plain or levels in self._needing

    def needing(self, levels: Levels, people: int | None = None) -> int:
        """Return the least number of rows that need a suppressed cell with these levels.

        Rows of classes that are too small, or miss a target, need it. levels: the generalization
        level of each searched column. people: people below k with these levels, if the number is
        known.
        """
        if self.plain and people is not None:
            return people
        if levels not in self._needing:
            leaving = self.targets.leaving(self.truth.classes(levels))
            self._needing[levels] = int(leaving.sum())
        return self._needing[levels]

    def counted(
        self, steps: int | None, progress: Callable[[str], None]
    ) -> tuple[list[tuple[Levels, int]], float, int]:
        """Return counted choices of levels, a bound on the loss of further choices, and a number.

        A choice is a generalization level for each searched column. The first value is pairs:
        the choice, and its people in classes smaller than k. The second is a lower bound on the
        loss of all choices that are not returned. The third is the number of counted choices. A
        few choices are all counted; otherwise searches find the choices. steps: most steps of a
        search; None: a default.
        """
        cell_limit = min(self.rows, int(self.share * self.rows * len(self.ladders)))
        sizes = prod(top + 1 for top in self.top)
        rows = ROWS if self.plain else JUDGED
        if sizes <= min(COUNTED, rows // self.rows, COUNTED if steps is None else steps):
            progress(f"counting {sizes:,} choices")
            pairs = [(levels, self.truth.below(levels)) for levels in self._every()]
            return [pair for pair in pairs if pair[1] <= cell_limit], 1.0, sizes
        plain = self._search(cell_limit, steps, progress, charged=False)
        searches = [plain]
        # A result that drops columns has fewer cells to suppress, so the next search uses that
        # smaller limit.
        for _ in range(SEARCHES):
            searches.append(self._search(cell_limit, steps, progress, charged=True))
            limit = int(self.limit(searches[-1].best.levels) / CELLS)
            if limit >= cell_limit:
                break
            cell_limit = limit
        people_by_levels = {
            choice.levels: choice.people for each in searches for choice in each.tried
        }
        pairs = [pair for pair in people_by_levels.items() if pair[1] <= self.limit(pair[0])]
        return pairs, plain.bound, sum(each.counted for each in searches)

    def _search(
        self, cell_limit: int, steps: int | None, progress: Callable[[str], None], *, charged: bool
    ) -> Advice:
        """Return the result of a search for levels that leave at most `cell_limit` people below k.

        Each person below k needs a suppressed cell. charged: whether each such person adds a
        loss to the choice of levels. steps: most steps of the search; None: a default.
        """
        return search(
            self.truth.searched.codes,
            self.ladders,
            self.truth.k,
            cell_limit,
            charged=charged,
            steps=min(STEPS, READ // self.rows) if steps is None else steps,
            promise=None if self.plain else self.needing,
            persons=self.truth.table.persons,
            fixed=self.truth.fixed,
            progress=progress,
        )

    def _every(self) -> Iterator[Levels]:
        """Yield every choice of generalization levels, a level for each searched column."""
        return product(*(range(top + 1) for top in self.top))

    def at(self, levels: Levels) -> SuppressedCells | None:
        """Return the cells to suppress with these generalization levels; cached.

        levels: the generalization level of each searched column. None if no suppression is found
        that reaches the target.
        """
        if levels not in self._cells_of_levels:
            cells = self._suppressed(levels)
            if cells is not None and cells.suppressed > cells.limit:
                return cells  # more cells than allowed: never released, so not cached
            self._cells_of_levels[levels] = cells
        return self._cells_of_levels[levels]

    def choice(self, levels: Levels) -> Choice:
        """Return the choice of these levels, with the loss of its suppressed cells included.

        levels: the generalization level of each searched column. DataError if the target needs
        more suppressed cells than are accepted.
        """
        cells = self.at(levels)
        if cells is None:
            raise DataError(
                "--levels: no suppressed cells reach the target with these levels; coarser levels "
                "or more columns that are searched are accepted"
            )
        if cells.suppressed > cells.limit:
            raise DataError(
                f"--levels: {cells.suppressed:,} cells have to be suppressed with these levels; at "
                f"most {cells.limit:,} of {cells.total:,} may (--suppress-cells)"
            )
        return Choice(levels, self.base(levels) + cells.loss, self.truth.below(levels))

    def _suppressed(self, levels: Levels) -> SuppressedCells | None:
        """Return the cells to suppress so that the target is reached, with the least loss found.

        levels: the generalization level of each searched column. None if no suppression is
        found.
        """
        active = self.active(levels)
        codes = coarse_codes(self.truth.searched, self.truth.columns, levels)
        mask = np.zeros((self.rows, len(levels)), bool)
        cells, limit = self.rows * len(active), self.limit(levels)
        if not active:
            return None if self.needing(levels) else SuppressedCells(mask, 0.0, 0.0, 0, 0)
        table = np.stack([codes[j] for j in active], axis=1)
        # The solver's absolute tolerances suit costs of about 1. A cell's cost is a share of all
        # cells' information, so it is multiplied by the number of cells.
        scale = self.rows * len(active)
        costs = [self.price(levels, j) * scale for j in active]
        cheapest: CheapestCells | None
        if self.plain:
            cheapest = suppress_cheapest(table, self.truth.k, costs, self.truth.fixed)
        else:
            cheapest = suppress_for_targets(table, self.targets, costs, self.truth.fixed)
        if cheapest is None:
            return None
        mask[:, active] = cheapest.mask
        return SuppressedCells(mask, cheapest.cost / scale, cheapest.lower / scale, limit, cells)


def class_targets(truth: Truth) -> ClassTargets:
    """Return k and the targets of sensitive columns in the form of the search for suppressed cells.

    A target (l, entropy-l or t) holds for every equivalence class of people with equal
    known values. truth: the count of people that miss these targets.
    """
    missed, columns = truth.targets, list[ValueTarget]()
    persons = missed.persons
    for name, target in missed.targets.items():
        codes = truth.table.codes[:, truth.table.columns.index(name)]
        numbers = missed.numbers[name]
        ordered_values = codes if numbers is None else numbers[codes]
        values = np.unique(ordered_values, return_inverse=True)[1].astype(np.int64)
        counted = values
        if persons is not None:  # a person counts once for each of its different values
            counted = np.unique(values * persons.n + persons.owner) // persons.n
        entropy_l = target.entropy_l or 1.0
        columns.append(
            ValueTarget(
                values,
                np.bincount(counted) / len(counted),
                ordered=numbers is not None,
                l=max(1, ceil(target.l or 1)),
                entropy_l=entropy_l if entropy_l > 1 + ROUNDING else 1.0,
                t=1.0 if target.t is None else target.t,
            )
        )
    if persons is None:
        return ClassTargets(truth.k, tuple(columns))
    return ClassTargets(truth.k, tuple(columns), persons.owner, persons.n)
