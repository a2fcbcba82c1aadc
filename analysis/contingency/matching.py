"""Sets of cells (supports) for tables that expose many people, found by matching sums of counts.

A cell of fewer than k people exposes them. In a table that exposes many people most cells are full
(k - 1 people). A few cells, the table's support, hold all further people of each value, the rest of
the value. Random swaps (swaps.py) would meet the best supports only by chance. Here two columns
come first: their rests are laid out along a staircase of cells, which is the fewest possible. Each
of these cells may then have any value of every other column. The cells with a value must hold as
many people as the value's rest.

That is a subset sum problem for all values at once. It is solved by meeting in the middle (Horowitz
and Sahni 1974). The cells are split into two halves, and the ways to give values to the cells of
each half are listed. For each way in the first half, the way in the second half is taken with which
the sums come nearest to the rests. A near match is only a proposal: the linear program of the
support gives its exposed people. For four columns of the census at k = 10, each of twelve seeds
meets 1,191 people, the maximum, within a hundred supports.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..validation import Counts, Floats
from .frechet import staircase
from .integer_program import FrechetProgram

# A support is a proposed set of cells with k people or more. Its cells are divided in two halves.
# Limit of the ways to choose a value of every column for each cell of a half; if there are more, a
# random sample of this size is drawn, because all ways are compared.
CHOICES = 1024


def matching_supports(program: FrechetProgram, seed: int = 0) -> Iterator[list[int]]:
    """Yield supports without end: sets of cells that hold k people or more in a proposed table.

    All other cells hold at most k - 1 people, so they are exposed. Each support spreads the
    remaining people of two columns over few cells (a staircase), in a random order of their values.
    No support is yielded in three cases: joint counts of columns are known, there is one column, or
    k - 1 people in every cell leave no people over.

    Args:
        program: the integer program of the tables with the given margins.
        seed: seed of the random orders.
    """
    rests = _rests(program)
    if rests is None:
        return
    shape, rng = program.tables.shape, np.random.default_rng(seed)
    first, second, *further_columns = sorted(range(len(shape)), key=lambda j: -shape[j])
    free = set(program.free.tolist())
    while True:
        orders = [rng.permutation(shape[j]) for j in (first, second)]
        rows = [rests[j][order] for j, order in zip((first, second), orders, strict=True)]
        stairs = staircase(rows)
        codes = np.zeros((len(shape), len(stairs.counts)), np.int64)
        for place, (j, order) in enumerate(zip((first, second), orders, strict=True)):
            codes[j] = order[stairs.cells[:, place]]
        if further_columns:
            codes[further_columns] = _matched(
                stairs.counts, [rests[j] for j in further_columns], rng
            )
        places = np.asarray(np.ravel_multi_index(tuple(codes), shape))
        yield sorted(free.intersection(places.tolist()))


def _rests(program: FrechetProgram) -> list[Counts] | None:
    """Return, per column, the people of each value that are left over if cells hold k - 1 people.

    The numbers are estimates, for a proposal only. The column with most values comes first. All
    cells with a value that has people left over count as full, with k - 1 people. Cells with its
    other values count as empty, so other columns may have too many people left over. The surplus is
    taken from the values with the fewest people, so that all columns have the same total.

    Returns:
        An array per column; None if there is one column, if joint counts are known, or if no people
        remain.
    """
    shape, margins = program.tables.shape, program.tables.margins
    if len(shape) < 2 or any(len(margin.group) > 1 for margin in margins):
        return None
    counts = {margin.group[0]: margin.counts for margin in margins}
    widest = max(range(len(shape)), key=lambda j: shape[j])
    full = (program.k - 1) * (program.tables.cells // shape[widest])
    lead = np.maximum(counts[widest] - full, 0)
    active, people = np.count_nonzero(lead), int(lead.sum())
    if not people:
        return None
    rests = []
    for j, values in enumerate(shape):
        rest = lead if j == widest else np.maximum(counts[j] - full * active // values, 0)
        surplus = int(rest.sum()) - people
        rest = rest.copy()
        for value in np.argsort(rest, kind="stable"):
            less = min(surplus, int(rest[value]))
            rest[value] -= less
            surplus -= less
        rests.append(rest)
    return rests


def _matched(people: Counts, rests: Sequence[Counts], rng: np.random.Generator) -> Counts:
    """Choose a value of each column for each cell, so that values have nearly the wanted people.

    Args:
        people: number of people in each cell.
        rests: for each column, the wanted number of people of each value.
        rng: decides which half of the search each cell belongs to.

    Returns:
        The chosen value of each column in each cell, shape (columns, cells).
    """
    from scipy.spatial import KDTree

    values = [np.flatnonzero(rest) for rest in rests]
    order = rng.permutation(len(people))
    halves = np.array_split(order, 2)
    choices = [
        _choices(len(half), [len(column_values) for column_values in values], rng)
        for half in halves
    ]
    first_sums, second_sums = (
        _sums(people[half], column_values, values)
        for half, column_values in zip(halves, choices, strict=True)
    )
    target_sums = np.concatenate(
        [rest[column_values] for rest, column_values in zip(rests, values, strict=True)]
    )
    distances, nearest = map(np.asarray, KDTree(second_sums).query(target_sums - first_sums, p=1))
    best = int(np.argmin(distances))
    value_choices = np.concatenate([choices[0][best], choices[1][nearest[best]]])
    result = np.zeros((len(rests), len(people)), np.int64)
    for j, column_values in enumerate(values):
        result[j, order] = column_values[value_choices[:, j]]
    return result


def _choices(cells: int, values: Sequence[int], rng: np.random.Generator) -> Counts:
    """Return ways to choose a value of each column for each cell, shape (ways, cells, columns).

    These are all ways if there are at most `CHOICES`, else a random sample of this size.

    Args:
        cells: number of cells.
        values: number of values of each column.
        rng: draws the sample.
    """
    if not cells:
        return np.zeros((1, 0, len(values)), np.int64)
    sizes = np.tile(np.array(values, np.int64), cells)
    if np.log(sizes).sum() > np.log(CHOICES):
        ways = rng.integers(sizes, size=(CHOICES, len(sizes)))
    else:
        ways = np.indices(tuple(sizes)).reshape(len(sizes), -1).T
    return ways.reshape(-1, cells, len(values))


def _sums(people: Counts, choices: Counts, values: Sequence[Counts]) -> Floats:
    """Return the people of every value of every column, for each way to give values to cells.

    Args:
        people: the people of each cell.
        choices: for each way, the index of the value in each cell and column.
        values: the values of each column that can be chosen.

    Returns:
        An array of shape (ways, values of all columns).
    """
    has = [
        choices[:, :, j, None] == np.arange(len(column_values))
        for j, column_values in enumerate(values)
    ]
    return np.tensordot(np.concatenate(has, axis=2), people.astype(np.float64), axes=(1, 0))
