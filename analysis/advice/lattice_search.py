"""Search the coarser columns that lose least and leave few people in classes smaller than k.

A ladder lists the levels (coarsenings) of one column; at the last level, the column is dropped. A
choice takes one level for each column. People below k are people in an equivalence class smaller
than k.

    loss of a choice = b + (1 - b) e     b: weighted mean of the losses of the chosen levels
                                         e: share of people below k, whose rows count as lost

A choice is safe if at most `max_exposed` people are below k. A partial choice settles the levels of
some columns; the other columns are dropped. A finer column never removes a person from the people
below k. So a partial choice with too many people below k has no safe completion.

The search is best first: it extends the partial choice with the smallest lower bound on its loss,
by the next column. That bound gives each unsettled column its finest level that is safe together
with the settled columns. The best choice found is proved optimal once no lower bound is smaller
than its loss. After an early stop, the gap is the difference.

The caller may give a promise, such as an upper bound on the people below k from the columns'
counts. Then a safe choice must keep the promise within the limit too. The promise may rise as a
column gets coarser. It is never below the number of people below k, so the lower bounds on the loss
still hold. It is computed for every complete choice that would be the best.

Each coarser value has a random 64-bit number; the sum over the columns identifies a row's
equivalence class. Two different rows of n have equal sums with probability about n^2 / 2^64, so the
returned choice is counted again without these numbers. Incognito (LeFevre et al. 2005) and Flash
(Kohlmayer et al. 2012) search the same set of choices.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure import joint_counts, users_below
from ..exposure.cells import as_table
from ..exposure.person_slots import PersonSlots
from ..exposure.persons import Persons
from ..validation import whole
from .choice import SLACK, Advice, Choice, Levels
from .ladder import Ladder

Promise = Callable[[Levels], int]
Keys = NDArray[np.uint64]
# seed of the random numbers that identify rows, and of the random column orders of the first
# choices
SEED = 0x61647669
# number of column orders tried to find good choices before the exact search, unless the work limit
# is reached first
RESTARTS = 24
# Limits of the work if the caller sets none, about a minute of processor time. ROWS: rows read by
# all steps together. STEPS: number of steps, each a count of the exposed people or a promise
# computed.
ROWS, STEPS = 1_500_000_000, 250_000


def search(
    table: ArrayLike,
    ladders: Sequence[Ladder],
    k: int,
    max_exposed: int,
    *,
    charged: bool = True,
    promise: Promise | None = None,
    steps: int | None = None,
    persons: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    progress: Callable[[str], None] | None = None,
) -> Advice:
    """Find the levels with the least loss that leave at most `max_exposed` people below k.

    People below k are people in an equivalence class smaller than k.

    Args:
        table: n x d integer codes of at least 0.
        ladders: each column with its levels (coarsenings) and their losses.
        k: people in the smallest equivalence class that is not exposed, at least 1.
        max_exposed: allowed people below k.
        charged: whether the rows of people below k count as lost information.
        promise: for a choice of levels, returns a number of people that must be at most
            `max_exposed` too, such as an upper bound on the people below k from the columns'
            counts. It is never less than the people below k. None: no such condition.
        steps: limit of the steps, each a count of the people below k or a promise computed; then
            the best choice so far is returned, with its gap. None: 1.5 x 10^9 / rows, at most
            250,000.
        persons: an integer for each row, equal for rows of one person, who is as exposed as the
            worst of these rows; None: each row is a person's own.
        fixed: the cell of each row in known columns that stay unchanged; None: no such columns.
        progress: called with a description of the step, or of the loss found so far.
    """
    codes = as_table(table)
    if codes.shape[1] != len(ladders) or k < 1 or max_exposed < 0:
        raise ParameterError(
            f"ladders: found {len(ladders)} for {codes.shape[1]} columns, k = {k}, max_exposed = "
            f"{max_exposed}; needs a ladder (coarser levels) for each column, k >= 1 and "
            "max_exposed >= 0"
        )
    limit = min(STEPS, ROWS // len(codes)) if steps is None else whole(steps, "steps", 0)
    owned = None if persons is None else Persons.from_table(codes, persons)
    return _LatticeSearch(
        codes, ladders, k, max_exposed, charged, promise, limit, owned, progress
    ).run(fixed)


class _LatticeSearch:
    """The search for coarser levels of the columns with the least loss, as `search` runs it.

    Attributes hold the table, the losses of the levels, and the best choice found so far.
    """

    def __init__(
        self,
        codes: NDArray[np.integer],
        ladders: Sequence[Ladder],
        k: int,
        max_exposed: int,
        charged: bool,  # noqa: FBT001 - passed on
        promise: Promise | None,
        steps: int,
        persons: Persons | None,
        progress: Callable[[str], None] | None,
    ) -> None:
        """Prepare a search; the function `search` describes the arguments, and checks them."""
        self.slots = None if persons is None else PersonSlots.from_owners(persons.owner, persons.n)
        self.order = slice(None) if self.slots is None else self.slots.order
        self.codes, self.ladders, self.k, self.max_exposed = (
            codes[self.order],
            ladders,
            k,
            max_exposed,
        )
        self.charged, self.promise = charged, promise
        self.progress = progress or (lambda _stage: None)
        self.limit, self.promises = steps, 0
        self.n = len(codes) if persons is None else persons.n
        rng = np.random.default_rng(SEED)
        self.rng = rng
        self.marks = [_marks(ladder, rng) for ladder in ladders]
        whole = sum(ladder.weight for ladder in ladders)
        self.losses = [
            [lv.loss * ladder.weight / whole for lv in ladder.levels] for ladder in ladders
        ]
        self.top: Levels = tuple(len(ladder.levels) - 1 for ladder in ladders)
        self.columns = [np.ascontiguousarray(self.codes[:, j]) for j in range(codes.shape[1])]
        self.counted = 0
        self.tried: dict[Levels, Choice] = {}
        self.best: Choice | None = None

    @property
    def is_late(self) -> bool:
        """Whether the work exceeds its limit: counts of the table, and bounds from a promise."""
        return self.counted + self.promises > self.limit

    def keys(self, j: int, level: int) -> Keys:
        """Return a number for each row that is equal for rows with equal values in column j.

        Values are compared at this level (coarsening) of the column. The numbers are random 64-bit
        numbers; their sum over all columns identifies the equivalence class of a row.
        """
        return self.marks[j][level][self.columns[j]]

    def below(self, keys: Keys, enough: int | None = None) -> int:
        """Count the people in equivalence classes smaller than k.

        Args:
            keys: a number for each row that identifies its equivalence class.
            enough: a limit of people; if the count exceeds it, any number above the limit may be
                returned.
        """
        self.counted += 1
        if self.k == 1:
            return 0
        if self.slots is not None:
            return self.slots.below(keys, self.k, enough)
        ordered = np.sort(keys)
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        counts = np.diff(np.append(starts, len(ordered)))
        return int(counts[counts < self.k].sum())

    def base(self, levels: Levels) -> float:
        """Return the weighted mean loss of a choice of levels, without the rows of exposed people.

        levels: the number of the chosen level (coarsening) of each column.
        """
        return sum(self.losses[j][level] for j, level in enumerate(levels))

    def charged_loss(self, base: float, people: int) -> float:
        """Return the loss of a choice, with the rows of its exposed people counted as lost.

        base: the weighted mean of the levels' losses. people: the exposed people. If the search
        does not count their rows as lost, the result is `base`.
        """
        return base + (1 - base) * people / self.n if self.charged else base

    def note(self, levels: Levels, people: int) -> None:
        """Record a choice with a level for every column, and its number of exposed people.

        They are in an equivalence class smaller than k. If `safe` accepts the choice, and it loses
        less than the best choice so far, it becomes the best.
        """
        choice = Choice(levels, self.charged_loss(self.base(levels), people), people)
        self.tried[levels] = choice
        better = self.best is None or choice.loss < self.best.loss - SLACK
        if better and self.safe(levels, people):
            self.best = choice

    def safe(self, levels: Levels, people: int) -> bool:
        """Whether a choice of levels leaves at most `max_exposed` people in classes smaller than k.

        people: the number of these people in the table. If the search has a promise (a number of
        people for each choice, such as an upper bound from the columns' counts), the promise must
        be at most `max_exposed` too.
        """
        if people > self.max_exposed:
            return False
        if self.promise is None:
            return True
        self.promises += 1
        return self.promise(levels) <= self.max_exposed

    def run(self, fixed: ArrayLike | None) -> Advice:
        """Search and return the best choice with a lower bound on the loss.

        Args:
            fixed: the cell of each row in columns that stay unchanged; None without such columns.

        Raises:
            ParameterError: no choice is safe, not even with every other column dropped.
        """
        all_dropped = np.zeros(len(self.codes), np.uint64)
        self.fixed = np.zeros(len(self.codes), np.int64)
        if fixed is not None:
            self.fixed = np.unique(fixed, return_inverse=True)[1][self.order]
            marks = self.rng.integers(0, 2**64 - 1, len(self.codes), np.uint64, endpoint=True)
            all_dropped += marks[self.fixed]
        for j, level in enumerate(self.top):
            all_dropped += self.keys(j, level)
        people = self.below(all_dropped)
        self.note(self.top, people)
        if people > self.max_exposed:
            raise ParameterError(
                f"k = {self.k} is more than the {self.n:,} people of the table: no choice is safe"
                if fixed is None
                else f"the kept columns leave {people:,} of {self.n:,} people below k = {self.k} "
                "even if all other columns are dropped: no choice is safe; keep fewer columns"
            )
        if self.best is None:
            raise ParameterError(
                "the kept columns miss the target even if all other columns are dropped: no choice "
                "is safe; keep fewer columns"
            )
        self.progress("first choices")
        gains = [[row[i] - row[i - 1] for i in range(1, len(row))] for row in self.losses]
        for turn in range(RESTARTS):
            if self.is_late and turn:
                break
            self._descend(all_dropped, gains, noise=0.0 if turn == 0 else 1.0)
        bound = self._best_first(all_dropped)
        best = self.best
        assert best is not None  # noqa: S101 - everything dropped is safe
        self._prove(best)
        return Advice(best, min(bound, best.loss), tuple(self.tried.values()), self.counted)

    def _descend(self, keys: Keys, gains: list[list[float]], noise: float) -> None:
        """Find a good first choice: from all columns dropped, refine one column at a time.

        The column with the largest gain (saved loss) is refined next. A column whose refinement is
        unsafe is not tried again, because the other columns only become finer. (A promise might
        allow it later; the exact search does not rely on this shortcut.)

        Args:
            keys: for each row, the number of its equivalence class if all columns are dropped.
            gains: for each column, the loss that each finer level saves.
            noise: 0 for exact gains; 1 scales them at random, for another order.
        """
        levels = list(self.top)
        keys = keys.copy()
        open_ = set(range(len(levels)))
        scale = {j: 1.0 + noise * self.rng.exponential() for j in open_}
        while open_ and not (self.is_late and self.best and self.best.loss < 1):
            j = max(open_, key=lambda j: gains[j][levels[j] - 1] * scale[j] if levels[j] else -1)
            if not levels[j]:
                open_.discard(j)
                continue
            finer = keys - self.keys(j, levels[j]) + self.keys(j, levels[j] - 1)
            people = self.below(finer)
            step = (*levels[:j], levels[j] - 1, *levels[j + 1 :])
            self.note(step, people)
            if self.safe(step, people):
                levels[j] -= 1
                keys = finer
            else:
                open_.discard(j)

    def _best_first(self, dropped: Keys) -> float:
        """Search partial choices, the least bound first; return a lower bound on the loss.

        A partial choice settles the levels of some columns. The search ends if no partial choice
        can become better than the best choice, or if the work limit is reached. The bound returned
        holds for every safe choice.

        dropped: for each row, the number of its equivalence class if all columns are dropped.
        """
        d = len(self.ladders)
        finest = self._finest(dropped, list(range(d)), [0] * d)
        order = sorted(
            range(d), key=lambda j: -self.losses[j][finest[j]] - len(self.marks[j][0]) / 1e9
        )
        low = sum(self.losses[j][finest[j]] for j in range(d))
        heap: list[tuple[float, int, Levels, list[int]]] = [(low, 0, (), finest)]
        step = 0
        while heap:
            low, _, settled, finest = heapq.heappop(heap)
            assert self.best is not None  # noqa: S101 - everything dropped is safe
            if low >= self.best.loss - SLACK:
                return low
            if self.is_late:
                return low
            step += 1
            if step % 50 == 0:
                self.progress(f"loss {self.best.loss:.4f}, none below {low:.4f}")
            for child in self._children(dropped, order, settled, finest):
                heapq.heappush(heap, (child[0], step * 100 + child[1][-1], *child[1:]))
                # The parent's bound is no larger than those of its children, so it also holds for
                # the children not yet pushed.
                if self.is_late:
                    return low
        return self.best.loss if self.best else 1.0

    def _children(
        self, dropped: Keys, order: list[int], settled: Levels, finest: list[int]
    ) -> list[tuple[float, Levels, list[int]]]:
        """Extend a partial choice: settle the next column at each level that may still be safe.

        Args:
            dropped: for each row, the number of its equivalence class if all columns are dropped.
            order: the columns in the order in which they are settled.
            settled: the levels of the first columns of `order`.
            finest: for each column, the finest level that may be safe.

        Returns:
            For each extended choice a lower bound on its loss, its settled levels, and its own
            `finest`. Choices that settle all columns are recorded as tried instead.
        """
        j = order[len(settled)]
        keys = dropped.copy()
        for at, level in zip(order, settled, strict=False):
            keys += self.keys(at, level) - self.keys(at, self.top[at])
        rest, children = order[len(settled) + 1 :], []
        fixed = sum(self.losses[at][level] for at, level in zip(order, settled, strict=False))
        for level in range(finest[j], self.top[j] + 1):
            column_loss = fixed + self.losses[j][level]
            low = column_loss + sum(self.losses[at][finest[at]] for at in rest)
            if self.best and low >= self.best.loss - SLACK:
                break
            child_keys = keys - self.keys(j, self.top[j]) + self.keys(j, level)
            people = self.below(child_keys, self.max_exposed)
            if people > self.max_exposed:
                continue
            if not rest:
                self.note(self._complete(order, (*settled, level)), people)
                continue
            tight = self._finest(child_keys, rest, finest, column_loss)
            low = self.charged_loss(
                column_loss + sum(self.losses[at][tight[at]] for at in rest), people
            )
            if self.best and low >= self.best.loss - SLACK:
                continue
            children.append((low, (*settled, level), tight))
            if self.is_late:
                break
        return children

    def _finest(
        self,
        keys: Keys,
        rest: Sequence[int],
        finest_levels: list[int],
        fixed_loss: float | None = None,
    ) -> list[int]:
        """Return, per column, the finest level that is safe together with the settled columns.

        Each level is found by bisection, because a coarser level exposes no more people.

        Args:
            keys: for each row, the number of its equivalence class if the columns in `rest` are
                dropped.
            rest: the columns without a settled level.
            finest_levels: for each column, a level that is as fine as the result or finer.
            fixed_loss: loss of the settled columns; if the bound shows that no better choice
                follows, the bisection stops early. None: no early stop.
        """
        tight = list(finest_levels)
        for j in rest:
            if fixed_loss is not None and self.best:
                low = fixed_loss + sum(self.losses[at][tight[at]] for at in rest)
                if low >= self.best.loss - SLACK:
                    break
            low_, high = tight[j], self.top[j]
            while low_ < high:
                middle = (low_ + high) // 2
                finer = keys - self.keys(j, self.top[j]) + self.keys(j, middle)
                if self.below(finer, self.max_exposed) > self.max_exposed:
                    low_ = middle + 1
                else:
                    high = middle
            tight[j] = low_
        return tight

    def _complete(self, order: list[int], settled: Levels) -> Levels:
        """Return the chosen levels (coarsenings) in the order of the table's columns.

        order: the columns in the order of the search. settled: the level of each column in this
        order.
        """
        levels = list(self.top)
        for at, level in zip(order, settled, strict=True):
            levels[at] = level
        return tuple(levels)

    def _prove(self, best: Choice) -> None:
        """Count the exposed people of the best choice again, by values instead of random numbers.

        Raises ParameterError if the counts differ, because two different rows had the same number.
        """
        column_codes = [
            self.ladders[j].levels[level].codes[self.columns[j]]
            for j, level in enumerate(best.levels)
        ]
        codes, column_numbers = (
            np.stack([*column_codes, self.fixed], axis=1),
            range(len(column_codes) + 1),
        )
        if self.slots is None:
            people = int(users_below(joint_counts(codes, column_numbers), self.k))
        else:
            people = Persons(codes, self.slots.owner, self.n).below(column_numbers, self.k)
        if people != best.people:  # pragma: no cover - once in 2^64 / n^2 runs
            raise ParameterError(
                "search: two different rows have the same random number, so the exposed people of "
                "its choice were miscounted"
            )


def _marks(ladder: Ladder, rng: np.random.Generator) -> list[Keys]:
    """Return, for each level of a ladder (a column and its coarsenings), a random number per code.

    Codes with the same coarser value have the same number, so the sum of the numbers over all
    columns identifies an equivalence class of rows.
    """
    marks = []
    for level in ladder.levels:
        numbers = rng.integers(0, 2**64 - 1, int(level.codes.max()) + 1, np.uint64, endpoint=True)
        marks.append(numbers[level.codes])
    return marks
