"""Which sets of columns of a table are safe, in truth and by promise.

Truth is counted in the table; the promise is the coverage bound from the marginals, which whoever
does not see the table could make. With missing cells that match anything a single column's promise
is its truth, since its marginal shows it, and the bound of several is that with missing as a value,
which is never below.

Up to `EVERY` columns every set is counted, unless there are too many rows. Otherwise the truly safe
sets are searched (safe_sets.py), and the largest promised set is the exact choice of
suppression/column_suppression.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..composition import best_bound
from ..composition.column_sets import bounds_of_all_sets
from ..exposure.cells import people_by_cell
from ..exposure.column_sets import SetExposures, exposures_of_all_sets
from ..exposure.counts import Integers
from ..exposure.wildcards import Wildcards
from ..suppression import choose_columns
from ..suppression.packing import MAX_COLUMNS
from ..suppression.safe_sets import search_safe_sets

PROMISED_BY = "coverage"  # bound: what prices prove of a set takes a linear program
EVERY = 12  # columns: 4,095 sets
COUNTED = 500_000_000  # rows times sets: about ten seconds
MATCHED = 20_000_000  # different rows times sets, when missing cells match anything

Columns = tuple[int, ...]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A set of columns: its people below k, in truth and at most by promise.

    Attributes:
        columns: by number, ascending.
        truth: people in a crowd smaller than k.
        promised: at most so many, by the best bound.
    """

    columns: Columns
    truth: int
    promised: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A column outside the best safe set, and the people below k if it were kept besides.

    Attributes:
        column: by number.
        people: in a crowd smaller than k.
    """

    column: int
    people: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The largest safe set that was found, its people below k, and what to drop.

    Attributes:
        kept: column numbers, ascending.
        people: in a crowd smaller than k.
        largest: whether it is known that no safe set has more columns.
        dropped: the other columns.
    """

    kept: Columns
    people: int
    largest: bool
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class Sets:
    """The search. `every`: all non-empty sets are in `sets`, otherwise only those named below.

    Attributes:
        every: whether all non-empty sets are in `sets`.
        counted: sets that were counted in the table.
        finished: False when the search stopped before every column that is safe alone was in a
            maximal set.
        sets: those that were scored.
        truth: the best choice by what is true.
        promised: the best choice by what can be promised.
        maximal_truth: maximal safe sets by truth: all of them if `every`; otherwise those found.
        maximal_promised: maximal safe sets by promise: all of them if `every`; otherwise the one
            chosen.
    """

    every: bool
    counted: int
    finished: bool
    sets: tuple[ScoredSet, ...]
    truth: Choice
    promised: Choice
    maximal_truth: tuple[Columns, ...]
    maximal_promised: tuple[Columns, ...]


def score_sets(
    codes: np.ndarray,
    marginals: list[Integers],
    k: int,
    most: int,
    wild: Wildcards | None,
    progress: Progress,
) -> Sets:
    """Search the sets of columns that leave at most `most` people below k."""
    d = codes.shape[1]
    rows, limit = (len(codes), COUNTED) if wild is None else (wild.weights.size, MATCHED)
    if d <= EVERY and rows << d <= limit:
        progress(f"all {2**d - 1:,} sets of columns")
        return _every(codes, marginals, k, most, wild)
    progress("the largest set that the marginals can promise")
    return _wide(codes, marginals, k, most, wild, progress)


def _every(
    codes: np.ndarray, marginals: list[Integers], k: int, most: int, wild: Wildcards | None
) -> Sets:
    promised = bounds_of_all_sets(marginals, k)
    counted = exposures_of_all_sets(codes, k) if wild is None else None
    sets = [_scored(columns, p, counted, wild, k) for columns, p in promised.items()]
    truth = {score.columns: score.truth for score in sets}
    bound = {score.columns: score.promised for score in sets}
    return Sets(
        True,
        len(sets),
        True,
        tuple(sets),
        _chosen(truth, most, codes.shape[1]),
        _chosen(bound, most, codes.shape[1]),
        _maximal(truth, most),
        _maximal(bound, most),
    )


def _scored(
    columns: Columns, promised: int, counted: SetExposures | None, wild: Wildcards | None, k: int
) -> ScoredSet:
    if wild is not None:
        truth = wild.crowds(columns).users_below(k)
        return ScoredSet(columns, truth, truth if len(columns) == 1 else promised)
    assert counted is not None  # noqa: S101 - one of the two is given
    return ScoredSet(columns, int(counted.people[sum(1 << j for j in columns)]), promised)


def _chosen(people: dict[Columns, int], most: int, d: int) -> Choice:
    """The most columns, then the fewest people, then the first."""
    safe = [columns for columns, exposed in people.items() if exposed <= most]
    kept = min(safe, key=lambda s: (-len(s), people[s], s), default=())
    others = (j for j in range(d) if j not in kept)
    dropped = tuple(Dropped(j, people[tuple(sorted((*kept, j)))]) for j in others)
    return Choice(kept, people.get(kept, 0), True, dropped)


def _maximal(people: dict[Columns, int], most: int) -> tuple[Columns, ...]:
    """The safe sets to which no column can be added; safe sets are downward closed."""
    safe = {frozenset(columns) for columns, exposed in people.items() if exposed <= most}
    columns = {column for chosen in safe for column in chosen}
    maximal = (s for s in safe if not any(s | {j} in safe for j in columns - s))
    return tuple(sorted((tuple(sorted(s)) for s in maximal), key=lambda s: (-len(s), s)))


def _wide(
    codes: np.ndarray,
    marginals: list[Integers],
    k: int,
    most: int,
    wild: Wildcards | None,
    progress: Progress,
) -> Sets:

    def promise(columns: Columns) -> int:
        if len(columns) == 1 or not columns:
            return truth(columns)
        return best_bound([marginals[j] for j in columns], k).people

    def truth(columns: Columns) -> int:
        return _below(codes, wild, columns, k)

    promised, exact = _promised(marginals, k, most, truth)
    progress("safe sets among the columns")
    search = search_safe_sets(codes, k, most, wild, known=promised)  # what is promised is true
    progress("what each other column would cost")
    named = dict.fromkeys((*((j,) for j in range(codes.shape[1])), *search.maximal, search.largest))
    sets = [ScoredSet(s, truth(s), promise(s)) for s in (*named, promised) if s]
    return Sets(
        False,
        search.counted,
        search.finished,
        tuple(dict.fromkeys(sets)),
        _reasons(search.largest, truth, codes.shape[1], largest=search.proven),
        _reasons(promised, promise, codes.shape[1], largest=exact),
        search.maximal,
        (promised,) if promised else (),
    )


def _promised(
    marginals: list[Integers], k: int, most: int, truth: Callable[[Columns], int]
) -> tuple[Columns, bool]:
    """The largest set whose bound is safe, and whether all sets were considered."""
    alone = [truth((j,)) for j in range(len(marginals))]
    hopeful = sorted((j for j in range(len(marginals)) if alone[j] <= most), key=alone.__getitem__)
    hopeful = sorted(hopeful[:MAX_COLUMNS])
    n = int(marginals[0].sum())
    if not hopeful:
        return (), True
    chosen = choose_columns([marginals[j] for j in hopeful], k, most / n)
    kept = tuple(hopeful[j] for j in chosen.kept)
    # A column may be safe by its marginal where missing matches anything, and not as a value.
    kept = kept or (min(hopeful, key=alone.__getitem__),)
    return kept, len(hopeful) == sum(people <= most for people in alone)


def _reasons(kept: Columns, people: Callable[[Columns], int], d: int, *, largest: bool) -> Choice:
    others = (j for j in range(d) if j not in kept)
    dropped = tuple(Dropped(j, people(tuple(sorted((*kept, j))))) for j in others)
    return Choice(kept, people(kept) if kept else 0, largest, dropped)


def _below(codes: np.ndarray, wild: Wildcards | None, columns: Sequence[int], k: int) -> int:
    """The people below k in these columns."""
    if wild is not None:
        return wild.crowds(columns).users_below(k)
    counts = people_by_cell(codes, columns)
    return int(counts[counts < k].sum())
