"""Sets of unexposed cells (supports) for tables that expose many people, found by subset sums.

Random swaps (swaps.py) would find them only by chance. In a table that exposes many people most
cells are full (k - 1 people), and few cells, its support (supports.py), hold the rest: the people
of each value beyond its full cells. The rests of two columns are spread along a staircase of cells,
which is the fewest possible. Each of these cells may then have any value of every other column, and
the people of the cells with a value must add up to the rest of the value. That is a subset sum
problem for all values at once, solved from the middle (Horowitz and Sahni 1974): for every choice
of values in one half of the cells, take the nearest choice in the other half.

A near match is a proposal: the support's linear program gives its exposed people. For four columns
of the census at k = 10, each of twelve seeds meets 1,191 people, the maximum, within a hundred
supports.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..validation import Counts, Floats
from .frechet import staircase
from .integer_program import FrechetProgram

# limit of the ways to assign values to one half of the cells; of more ways a sample is drawn
CHOICES = 1024


def matching_supports(program: FrechetProgram, seed: int = 0) -> Iterator[list[int]]:
    """Yield supports without end: lists of the cells of k people or more in a table.

    Each is from another staircase, a way to spread the people of two columns over few cells. No
    support is yielded if joint counts of columns are known, if there is one column, or if no people
    are left once all other cells hold k - 1.
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
    """Return, per column, the people of each value that remain once cells are full (k - 1 people).

    None without any, or if joint counts are known. Cells are full in values of the widest column
    with a positive rest. The cells of its other values are undecided, so a few people of other
    columns are left out: of the values with the smallest rests. All columns then have the same
    total.
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
    """Choose values for cells so that the people of each value are near the wanted number.

    Args:
        people: number of people in each cell.
        rests: per column, the wanted number of people of its values.
        rng: decides the half of each cell.

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
    """Return ways to choose a value per column in each cell, shape (ways, cells, columns).

    All ways if there are at most `CHOICES`, else a random sample. values: number of values per
    column.
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
    """Return, for each way to assign values to cells, the people of every value of every column.

    Shape (ways, values).
    """
    has = [
        choices[:, :, j, None] == np.arange(len(column_values))
        for j, column_values in enumerate(values)
    ]
    return np.tensordot(np.concatenate(has, axis=2), people.astype(np.float64), axes=(1, 0))
