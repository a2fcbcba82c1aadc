"""The least loss over all choices of levels with few people below k: searched, with its gap.

    loss of a choice = b + (1 - b) e     b: weighted mean of its levels' losses
                                         e: share of people below k, whose rows count as lost

A choice is safe if at most `most` people are below k. A coarser column never removes a person from
a crowd, so of a partial choice (some columns settled, the rest dropped) the people below k are the
fewest of all its completions: if they are too many, no completion is safe. The search settles one
column after the other, best bound first; for every unsettled column, the bound of a partial choice
takes the finest level that is safe beside the settled columns. It is exact if the best remaining
bound is no less than the best choice found; after an early stop, the difference is the gap.

If a promise is given, a choice is safe only if the columns' counts alone prove it as well. A
promise may break as a column gets coarser, but is never below the truth: the same bounds hold, and
the promise is computed for every complete choice that would be the best.

People are distinguished by sums of random 64-bit numbers, one for each coarser value (two different
rows collide with probability n^2 / 2^64); the returned choice is counted again without them.
Incognito (LeFevre et al. 2005) and Flash (Kohlmayer et al. 2012) search the same lattice.
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
SEED = 0x61647669  # seeds the random numbers of the rows, and the orders of the first choices
RESTARTS = 24  # number of orders in which columns are made finer, to find good first choices
# Limits where the caller sets none, about a minute of processor time: rows that all steps read
# together, and number of steps.
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

    Args:
        table: n x d integer codes of at least 0.
        ladders: the levels of each column.
        k: an integer of at least 1.
        max_exposed: allowed people in a crowd smaller than k.
        charged: whether people below k count as lost (e in the formula; else it is 0).
        promise: an upper bound on the people below k from the columns' counts, if it must be at
            most `max_exposed` too.
        steps: counts of the table and promises after which the best choice so far is returned, with
            its gap; None: 1.5 x 10^9 / rows, at most 250,000.
        persons: an integer for each row, equal where rows are one person's, who is as exposed as
            its worst row; None: each row is a person's own.
        fixed: the cell of each row in columns that are known and stay as they are; None: none.
        progress: called with the current result, now and then.
    """
    codes = as_table(table)
    if codes.shape[1] != len(ladders) or k < 1 or max_exposed < 0:
        raise ParameterError(
            f"ladders: found {len(ladders)} for {codes.shape[1]} columns, k = {k}, max_exposed = "
            f"{max_exposed}; needs a ladder for each column, k >= 1 and max_exposed >= 0"
        )
    limit = min(STEPS, ROWS // len(codes)) if steps is None else whole(steps, "steps", 0)
    owned = None if persons is None else Persons.from_table(codes, persons)
    return _LatticeSearch(
        codes, ladders, k, max_exposed, charged, promise, limit, owned, progress
    ).run(fixed)


class _LatticeSearch:
    """The search for coarser levels of the columns with the least loss, as `search` runs it.

    It holds the table, the losses of the levels, and the best choice found so far.
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
        """Prepare a search; arguments as in `search`, checked there."""
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
        """Whether the limit of the work (counts of the table and certified bounds) is reached."""
        return self.counted + self.promises > self.limit

    def keys(self, j: int, level: int) -> Keys:
        """Return a random 64-bit number for each row, equal for rows with equal values.

        Values are compared at this level (coarsening) of column j. The sum of these numbers over
        the columns identifies the equivalence class of a row.
        """
        return self.marks[j][level][self.columns[j]]

    def below(self, keys: Keys, enough: int | None = None) -> int:
        """Count the people in equivalence classes smaller than k.

        Args:
            keys: a number for each row that identifies its equivalence class.
            enough: a number of people beyond which a lower bound on the count may be returned.
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
        """Return the loss of a choice of levels without its exposed people: a weighted mean.

        A level is a coarsening of a column, with a share of its information lost.
        """
        return sum(self.losses[j][level] for j, level in enumerate(levels))

    def charged_loss(self, base: float, people: int) -> float:
        """Return the loss of a choice, with the rows of its exposed people counted as lost.

        base: the weighted mean of the levels' losses. people: the exposed people. If the search
        does not charge them, the loss is `base`.
        """
        return base + (1 - base) * people / self.n if self.charged else base

    def note(self, levels: Levels, people: int) -> None:
        """Record a complete choice of levels with its people below k.

        If it is safe and loses less than the best choice, it becomes the best.
        """
        choice = Choice(levels, self.charged_loss(self.base(levels), people), people)
        self.tried[levels] = choice
        better = self.best is None or choice.loss < self.best.loss - SLACK
        if better and self.safe(levels, people):
            self.best = choice

    def safe(self, levels: Levels, people: int) -> bool:
        """Whether a choice leaves at most `max_exposed` people in crowds below k.

        With a promise, the bound from the columns' counts must be as low.
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
            fixed: the cell of each row in columns that stay as they are; None without such columns.

        Raises:
            ParameterError: no choice is safe, not even with every column dropped.
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
                else f"the columns that are kept alone leave {people:,} of {self.n:,} people below "
                f"k = {self.k}: no choice is safe; keep fewer"
            )
        if self.best is None:
            raise ParameterError(
                "the columns that are kept alone miss the target: no choice is safe; keep fewer"
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
        """From all columns dropped, make columns finer one step at a time, the largest gain first.

        This finds a good first choice quickly. A step that is refused now is refused later too, as
        all other columns only become finer (a promise may differ; the following search does not
        rely on it).

        Args:
            keys: numbers of the rows' classes with all columns dropped.
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
        """Search partial choices, the least bound first, and return a bound on the loss.

        The search ends if no partial choice can be better, or the work limit is met. `dropped` are
        the numbers of the rows' classes with all columns dropped. The result is a lower bound on
        the loss of every safe choice.
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
                if self.is_late:  # the bound of the parent holds for the choices not yet pushed
                    return low
        return self.best.loss if self.best else 1.0

    def _children(
        self, dropped: Keys, order: list[int], settled: Levels, finest: list[int]
    ) -> list[tuple[float, Levels, list[int]]]:
        """Extend a partial choice: settle the next column at each level that may still be safe.

        Args:
            dropped: numbers of the rows' classes with all columns dropped.
            order: the columns in the order in which they are settled.
            settled: the levels of the first columns of `order`.
            finest: for each column, the finest level that may be safe.

        Returns:
            For each child a lower bound on its loss, its settled levels, and its `finest`. Complete
            choices are recorded instead.
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
        """Return, per column, the finest level that is safe beside the settled columns.

        It is found by bisection, because fewer people are exposed at coarser levels.

        Args:
            keys: numbers of the rows' classes with the columns in `rest` dropped.
            rest: the columns without a settled level.
            finest_levels: for each column, a level that is as fine or finer than the result.
            fixed_loss: loss of the settled columns, to stop early; None: no early stop.
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
        """Return the levels (coarsenings) in the order of the table's columns.

        order: the columns in the order of the search. settled: the level of each of them.
        """
        levels = list(self.top)
        for at, level in zip(order, settled, strict=True):
            levels[at] = level
        return tuple(levels)

    def _prove(self, best: Choice) -> None:
        """Count the people of the best choice again without random numbers.

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
    """Return, for each level of a ladder, a random number for each code of the column.

    Codes with the same coarser value have the same number, so sums of numbers identify classes.
    """
    marks = []
    for level in ladder.levels:
        numbers = rng.integers(0, 2**64 - 1, int(level.codes.max()) + 1, np.uint64, endpoint=True)
        marks.append(numbers[level.codes])
    return marks
