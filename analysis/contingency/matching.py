"""Supports whose sums match: what swaps meet by luck, if at all.

In a bad table most cells are full (k - 1 people), and few cells, its support (supports.py), hold
the rest: of every value what is left once its cells are full. Two columns' rests are spread along a
staircase of cells, as few as there can be. Each of them may then have any value of every other
column, and the people of those that have one value must add up to what is left of it. That is one
subset sum for all values at once, and it is solved from the middle (Horowitz and Sahni 1974): for
every choice of values in one half of the cells, the choice in the other half that comes nearest.

What comes near is a proposal: the support's linear program says what it exposes. Of four columns of
the census at k = 10 each of twelve seeds meets 1,191 people, the most there can be, within a
hundred.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..validation import Counts, Floats
from .frechet import staircase
from .integer_program import Program

CHOICES = 1024  # of values in one half of the cells, at most; of more, so many are drawn


def matching_supports(program: Program, seed: int = 0) -> Iterator[list[int]]:
    """Supports, each of another staircase: the cells that are not exposed, as the program has them.

    Without end; none where joint counts of columns are known, where there is one column, or where
    nothing is left once all cells are full.
    """
    rests = _rests(program)
    if rests is None:
        return
    shape, rng = program.tables.shape, np.random.default_rng(seed)
    first, second, *others = sorted(range(len(shape)), key=lambda j: -shape[j])
    free = set(program.free.tolist())
    while True:
        orders = [rng.permutation(shape[j]) for j in (first, second)]
        rows = [rests[j][order] for j, order in zip((first, second), orders, strict=True)]
        stairs = staircase(rows)
        codes = np.zeros((len(shape), len(stairs.counts)), np.int64)
        for place, (j, order) in enumerate(zip((first, second), orders, strict=True)):
            codes[j] = order[stairs.cells[:, place]]
        if others:
            codes[others] = _matched(stairs.counts, [rests[j] for j in others], rng)
        places = np.asarray(np.ravel_multi_index(tuple(codes), shape))
        yield sorted(free.intersection(places.tolist()))


def _rests(program: Program) -> list[Counts] | None:
    """Per column, how many people of each value are left once cells are full; each column as many.

    Cells are full in values of the column with the most values that fill theirs. What the people of
    its other values may be in is open, so a few people of other columns are left out: those of the
    values of which the fewest are left.
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
    """The value of each column that each cell has, shape (columns, cells), so that sums come near.

    Args:
        people: in each cell.
        rests: of each column, the people that its values are to have.
        rng: which cells are in which half.
    """
    from scipy.spatial import KDTree

    values = [np.flatnonzero(rest) for rest in rests]
    order = rng.permutation(len(people))
    halves = np.array_split(order, 2)
    choices = [_choices(len(half), [len(some) for some in values], rng) for half in halves]
    here, there = (
        _sums(people[half], some, values) for half, some in zip(halves, choices, strict=True)
    )
    wanted = np.concatenate([rest[some] for rest, some in zip(rests, values, strict=True)])
    distances, nearest = map(np.asarray, KDTree(there).query(wanted - here, p=1))
    best = int(np.argmin(distances))
    chosen = np.concatenate([choices[0][best], choices[1][nearest[best]]])
    result = np.zeros((len(rests), len(people)), np.int64)
    for j, some in enumerate(values):
        result[j, order] = some[chosen[:, j]]
    return result


def _choices(cells: int, values: Sequence[int], rng: np.random.Generator) -> Counts:
    """Ways to choose a value per column, of so many, in each cell, shape (ways, cells, columns)."""
    if not cells:
        return np.zeros((1, 0, len(values)), np.int64)
    sizes = np.tile(np.array(values, np.int64), cells)
    if np.log(sizes).sum() > np.log(CHOICES):
        ways = rng.integers(sizes, size=(CHOICES, len(sizes)))
    else:
        ways = np.indices(tuple(sizes)).reshape(len(sizes), -1).T
    return ways.reshape(-1, cells, len(values))


def _sums(people: Counts, choices: Counts, values: Sequence[Counts]) -> Floats:
    """Per choice, the people of every value of every column, shape (ways, values)."""
    has = [choices[:, :, j, None] == np.arange(len(some)) for j, some in enumerate(values)]
    return np.tensordot(np.concatenate(has, axis=2), people.astype(np.float64), axes=(1, 0))
