"""Safe sets of columns of a table, by their true exposure and by the certified bound.

A set of columns is safe if it exposes at most a given number of people. The true exposure is
counted in the table. The certified bound is the coverage bound from the marginals, which a party
without the table can compute. If missing cells match any value, the bound of a single column is its
true exposure, since its marginal shows that. The bound of several columns is computed with missing
as a value of its own. The true exposure is then never larger, so the bound holds.

Up to `EVERY` columns every set is counted, unless there are too many rows. Otherwise the truly safe
sets are searched (safe_sets.py), and the largest set safe by its bound is the exact choice of
suppression/column_suppression.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...deprecated import keeps_old
from ..composition import best_bound
from ..composition.column_sets import bounds_of_all_sets
from ..composition.person_bound import PersonBounds
from ..exposure.cells import people_by_cell
from ..exposure.column_sets import SetExposures, exposures_of_all_sets
from ..exposure.counts import Integers
from ..exposure.persons import Persons
from ..exposure.wildcards import Wildcards
from ..suppression import choose_columns
from ..suppression.packing import MAX_COLUMNS
from ..suppression.safe_sets import search_safe_sets

# Name of the bound that certifies sets of columns if persons have several rows
# (composition/person_bound.py).
PROMISED_BY_PERSONS = "persons"
# Name of the bound that certifies sets of columns if each person has one row. The tighter default
# bound of a run is not used, because it would need a linear program for each set.
PROMISED_BY = "coverage"
EVERY = 12  # most columns of which all sets are counted (4,095); with more, sets are searched
# Most rows times sets of columns for which all sets are counted: about ten seconds. Beyond it, only
# the best sets are searched.
COUNTED = 500_000_000
# If missing cells match any value, all sets of columns are counted only up to this number of
# distinct rows times sets. Each set then takes longer.
MATCHED = 20_000_000

# limit of rows times sets of columns if persons have several rows, as each set then takes longer
PAIRED = 50_000_000

Columns = tuple[int, ...]
# sources of equivalence classes that overlap, because missing cells match any value or because
# persons have several rows
CrowdSource = Wildcards | Persons
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A set of columns with the people it exposes, truly and at most by the certified bound.

    Attributes:
        columns: column numbers, ascending.
        truth: number of people in an equivalence class smaller than k.
        promised: upper bound on the exposed people, certified from the marginals.
    """

    columns: Columns
    truth: int
    promised: int


@dataclass(frozen=True, slots=True)
class ExcludedColumn:
    """A column outside the best safe set, and the people that would be exposed with it.

    Attributes:
        column: column number.
        people: people exposed (in a class smaller than k) by the safe set with this column; by the
            certified bound if the set was chosen by the bound.
    """

    column: int
    people: int


@keeps_old(kept="kept_columns")
@dataclass(frozen=True, slots=True)
class SetChoice:
    """The largest safe set of columns found, the people it exposes, and the columns to drop.

    Attributes:
        kept_columns: column numbers, ascending.
        people: people that the set exposes, in an equivalence class smaller than k; by the
            certified bound if the set was chosen by the bound.
        largest: whether no safe set is known to have more columns.
        dropped: the other columns, each with the people exposed by the set with this column.
    """

    kept_columns: Columns
    people: int
    largest: bool
    dropped: tuple[ExcludedColumn, ...]


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets of columns with their exposure, and the best safe sets; the result of `score_sets`.

    A safe set is maximal if no column can be added to it safely.

    Attributes:
        every: whether all non-empty sets are in `sets`; else only single columns and the safe sets
            that the search reports.
        counted: number of sets counted in the table.
        finished: False if the search was stopped by its limit of work. A column that is safe alone
            may then be in none of the maximal sets found.
        sets: the scored sets.
        truth: the best choice by true exposure.
        promised: the best choice by certified bound.
        maximal_truth: maximal safe sets by true exposure: all of them if `every`; otherwise those
            found.
        maximal_promised: maximal safe sets by bound: all of them if `every`; otherwise the chosen
            set.
    """

    every: bool
    counted: int
    finished: bool
    sets: tuple[ScoredSet, ...]
    truth: SetChoice
    promised: SetChoice
    maximal_truth: tuple[Columns, ...]
    maximal_promised: tuple[Columns, ...]


def score_sets(
    codes: np.ndarray,
    marginals: list[Integers],
    k: int,
    people_limit: int,
    source: CrowdSource | None,
    progress: Progress,
) -> Sets:
    """Search the sets of columns that expose at most `people_limit` people (in classes below k).

    All sets are scored if there are few columns and rows; else only the best.

    codes: n x d codes of the table.
    marginals: the counts of each column.
    source: the classes if missing cells match any value or persons have several rows; else None.
    progress: called with the name of each stage.
    """
    d = codes.shape[1]
    rows, limit = _effort(codes, source)
    if d <= EVERY and rows << d <= limit:
        progress(f"all {2**d - 1:,} sets of columns")
        return _score_all_sets(codes, marginals, k, people_limit, source)
    progress("the largest set that the marginals can promise")
    return _wide(codes, marginals, k, people_limit, source, progress)


def _effort(codes: np.ndarray, source: CrowdSource | None) -> tuple[int, int]:
    """Return (number of rows to read for a set of columns, limit of work).

    All sets of columns are counted if the rows, times the number of sets, are at most the limit.

    source: the classes if missing cells match any value (then only different rows are read), or if
    persons have several rows; else None.
    """
    if source is None:
        return len(codes), COUNTED
    return (len(codes), PAIRED) if isinstance(source, Persons) else (source.weights.size, MATCHED)


def _score_all_sets(
    codes: np.ndarray,
    marginals: list[Integers],
    k: int,
    people_limit: int,
    source: CrowdSource | None,
) -> Sets:
    """Score every non-empty set of columns, by counting and by certified bound.

    codes: n x d codes of the table.
    marginals: the counts of each column.
    people_limit: most people that a safe set may expose (in classes below k).
    source: the classes if missing cells match any value or persons have several rows; else None.
    """
    promised = _bounds(marginals, k, source)
    exact = exposures_of_all_sets(codes, k) if source is None else None
    sets = [_scored(columns, p, exact, source, k) for columns, p in promised.items()]
    truth = {score.columns: score.truth for score in sets}
    bound = {score.columns: score.promised for score in sets}
    return Sets(
        True,
        len(sets),
        True,
        tuple(sets),
        _largest_safe_set(truth, people_limit, codes.shape[1]),
        _largest_safe_set(bound, people_limit, codes.shape[1]),
        _maximal(truth, people_limit),
        _maximal(bound, people_limit),
    )


def _bounds(marginals: list[Integers], k: int, source: CrowdSource | None) -> dict[Columns, int]:
    """Return the certified bound on the people that each set of columns exposes at k.

    marginals: the counts of each column, from which the bound is proved.
    source: the persons of the rows if some have several; other sources do not change the bound.
    """
    if not isinstance(source, Persons):
        return bounds_of_all_sets(marginals, k)
    bounds, d = PersonBounds(marginals, k, source.n), len(marginals)
    column_sets = (s for size in range(1, d + 1) for s in combinations(range(d), size))
    return {columns: bounds.max_exposed(columns) for columns in column_sets}


def _scored(
    columns: Columns, promised: int, exact: SetExposures | None, source: CrowdSource | None, k: int
) -> ScoredSet:
    """Return the score of a set of columns: its true exposure, and its certified bound.

    If missing cells match any value or persons have several rows, the bound of a single column is
    its true exposure, which its marginal shows.

    promised: the certified bound on the exposed people.
    exact: the true exposure of all sets; used if `source` is None.
    source: the overlapping classes; None if classes partition the people.
    """
    if source is not None:
        truth = _exposed(source, columns, k)
        return ScoredSet(columns, truth, truth if len(columns) == 1 else promised)
    assert exact is not None  # noqa: S101 - without a source all sets were counted
    return ScoredSet(columns, int(exact.people[sum(1 << j for j in columns)]), promised)


def _exposed(source: CrowdSource, columns: Sequence[int], k: int) -> int:
    """Return the people in equivalence classes smaller than k, if classes overlap.

    source: the classes, which overlap because missing cells match any value, or because persons
    have several rows.
    columns: the set of columns in which people of a class agree.
    """
    if isinstance(source, Persons):
        return source.below(columns, k)
    return source.crowds(columns).users_below(k)


def _largest_safe_set(people: dict[Columns, int], people_limit: int, d: int) -> SetChoice:
    """Return the safe set with the most columns, then the fewest exposed people, then the first.

    people: the exposed people of every set of the d columns.
    people_limit: most people that a safe set may expose.
    """
    safe = [columns for columns, exposed in people.items() if exposed <= people_limit]
    kept_columns = min(safe, key=lambda s: (-len(s), people[s], s), default=())
    dropped_columns = (j for j in range(d) if j not in kept_columns)
    dropped = tuple(
        ExcludedColumn(j, people[tuple(sorted((*kept_columns, j)))]) for j in dropped_columns
    )
    return SetChoice(kept_columns, people.get(kept_columns, 0), True, dropped)


def _maximal(people: dict[Columns, int], people_limit: int) -> tuple[Columns, ...]:
    """Return the safe sets of columns to which no column can be added.

    Every subset of a safe set is safe, so it is enough to try adding one column.

    people: the exposed people of every set of columns.
    people_limit: most people that a safe set may expose.
    """
    safe = {frozenset(columns) for columns, exposed in people.items() if exposed <= people_limit}
    columns = {column for safe_set in safe for column in safe_set}
    maximal = (s for s in safe if not any(s | {j} in safe for j in columns - s))
    return tuple(sorted((tuple(sorted(s)) for s in maximal), key=lambda s: (-len(s), s)))


def _wide(
    codes: np.ndarray,
    marginals: list[Integers],
    k: int,
    people_limit: int,
    source: CrowdSource | None,
    progress: Progress,
) -> Sets:
    """Score some sets of columns of a table that has too many sets to count all.

    The scored sets are the single columns, the safe sets that the search found, and the largest set
    found with a safe certified bound.

    codes: n x d codes of the table.
    marginals: the counts of each column.
    people_limit: most people that a safe set may expose (in classes below k).
    source: the classes if missing cells match any value or persons have several rows; else None.
    """
    persons = source if isinstance(source, Persons) else None
    wild = None if isinstance(source, Persons) else source
    bounds = None if persons is None else PersonBounds(marginals, k, persons.n)

    def promise(columns: Columns) -> int:
        """Return the certified bound on the exposed people of a set of columns.

        For one column it is the true number, which the column's marginal shows.
        """
        if len(columns) == 1 or not columns:
            return truth(columns)
        if bounds is not None:
            return bounds.max_exposed(columns)
        return best_bound([marginals[j] for j in columns], k).people

    def truth(columns: Columns) -> int:
        """Return the people that a set of columns truly exposes, in classes smaller than k."""
        return _below(codes, source, columns, k)

    if persons is None:
        promised, exact = _promised(marginals, k, people_limit, truth)
    else:
        promised, exact = _filled(promise, codes.shape[1], people_limit), False
    progress("safe sets among the columns")
    # A set of columns whose certified bound is safe is also safe in truth, so the search begins
    # with it.
    search = search_safe_sets(codes, k, people_limit, wild, safe_columns=promised, persons=persons)
    progress("what each other column would cost")
    named_sets = dict.fromkeys(
        (*((j,) for j in range(codes.shape[1])), *search.maximal, search.largest)
    )
    sets = [ScoredSet(s, truth(s), promise(s)) for s in (*named_sets, promised) if s]
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


def _filled(promise: Callable[[Columns], int], d: int, people_limit: int) -> Columns:
    """Return a set of columns with a safe certified bound.

    Columns are added from the least exposing on, each only if the bound stays safe.

    promise: function from a set of columns to the certified upper bound on its exposed people.
    d: number of columns.
    people_limit: most people that a safe set may expose.
    """
    kept_columns: Columns = ()
    for j in sorted(range(d), key=lambda j: promise((j,))):
        wider = tuple(sorted((*kept_columns, j)))
        kept_columns = wider if promise(wider) <= people_limit else kept_columns
    return kept_columns


def _promised(
    marginals: list[Integers], k: int, people_limit: int, truth: Callable[[Columns], int]
) -> tuple[Columns, bool]:
    """Return the largest set of columns with a safe bound, and whether all were considered.

    Columns beyond `MAX_COLUMNS` are left out of the exact search.

    people_limit: most people that a safe set may expose (in classes below k).
    truth: function from a set of columns to the people it truly exposes.
    """
    single_people = [truth((j,)) for j in range(len(marginals))]
    hopeful = sorted(
        (j for j in range(len(marginals)) if single_people[j] <= people_limit),
        key=single_people.__getitem__,
    )
    hopeful = sorted(hopeful[:MAX_COLUMNS])
    n = int(marginals[0].sum())
    if not hopeful:
        return (), True
    selection = choose_columns([marginals[j] for j in hopeful], k, people_limit / n)
    kept_columns = tuple(hopeful[j] for j in selection.kept)
    # The certified bounds count a missing cell as a value of its own. If missing cells match any
    # value, classes are larger, so the bounds may call a safe column unsafe. If they call all
    # columns unsafe, the column that truly exposes fewest people is kept.
    kept_columns = kept_columns or (min(hopeful, key=single_people.__getitem__),)
    return kept_columns, len(hopeful) == sum(people <= people_limit for people in single_people)


def _reasons(
    kept_columns: Columns, people: Callable[[Columns], int], d: int, *, largest: bool
) -> SetChoice:
    """Return the choice of the columns kept, and the people exposed by adding each other column.

    kept_columns: the safe set that was chosen.
    people: function from a set of columns to its exposed people, true or by the certified bound.
    d: number of columns of the table.
    largest: whether no safe set is known to have more columns.
    """
    dropped_columns = (j for j in range(d) if j not in kept_columns)
    dropped = tuple(
        ExcludedColumn(j, people(tuple(sorted((*kept_columns, j))))) for j in dropped_columns
    )
    return SetChoice(kept_columns, people(kept_columns) if kept_columns else 0, largest, dropped)


def _below(codes: np.ndarray, source: CrowdSource | None, columns: Sequence[int], k: int) -> int:
    """Return the people whose equivalence class in some columns is smaller than k.

    codes: n x d codes of the table.
    source: the classes if missing cells match any value or persons have several rows; else None.
    columns: the numbers of the columns.
    """
    if source is not None:
        return _exposed(source, columns, k)
    counts = people_by_cell(codes, columns)
    return int(counts[counts < k].sum())
