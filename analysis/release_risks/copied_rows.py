"""Rows of a release that copy rows of the original, and the distance to the nearest original row.

copy       a released row with the values of an original row in all columns
distance   Gower's distance (nearest.py) divided by the number of columns, 0 to 1
nearer     the share of released rows that are nearer to the original than to the control (people
           from the same population, outside the release). Without copying it is 1/2, since the
           samples of original and control have equal size
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exposure.cells import as_table, cells_of
from .nearest import Codes, Floats, Numbers, neighbours
from .rates import Rate

SEED = 0x636F7079  # seed of the samples, so that results are repeatable
# Approximate limit of the comparisons of one value with another, in searches for the nearest
# original row of each released row. Beyond it, released rows are sampled to save time.
CELLS = 2e8
LEAST_ROWS = 50  # least number of released rows compared, even if a large original makes this slow


@dataclass(frozen=True, slots=True)
class Copies:
    """Numbers of released rows that copy a row of the original in all columns.

    Attributes:
        rows: released rows that are copies.
        of_unique: released rows that copy an original row of values that only one person has.
        people: people with such a unique row that is copied.
    """

    rows: int
    of_unique: int
    people: int


@dataclass(frozen=True, slots=True)
class RecordDistances:
    """Distances of released rows to the nearest original row, 0 to 1: a check for copying.

    Gower's distance, divided by the number of columns.

    Attributes:
        rows: released rows that were compared; a sample if the release is large.
        zero: share of the compared rows at distance 0.
        median: median distance to the original.
        control_median: median distance to the control (people outside the release); None without a
            control.
        nearer: share of compared rows nearer to the original than to the control, ties counted as
            half; None without a control.
    """

    rows: int
    zero: float
    median: float
    control_median: float | None
    nearer: Rate | None


def copied_rows(
    original: ArrayLike, release: ArrayLike, owner: NDArray[np.integer] | None = None
) -> Copies:
    """Count the released rows that copy an original row, and the people with a unique row copied.

    A copy has the original row's values in all columns. A row is unique if only one person has it.

    Args:
        original: n x d codes of at least 0.
        release: m x d codes in the same coding.
        owner: the person of each original row, at least 0; None: each row is a person's own.
    """
    people, rows = as_table(original), as_table(release)
    if not len(rows) or not len(people):
        return Copies(0, 0, 0)
    cells = cells_of(np.concatenate((people, rows)), range(people.shape[1]))
    mine, theirs = cells[: len(people)], cells[len(people) :]
    size = int(cells.max()) + 1
    released = np.bincount(theirs, minlength=size)
    owners = np.arange(len(people)) if owner is None else np.asarray(owner, np.int64)
    n = int(owners.max()) + 1
    # Each number stands for a combination of values and a person with such a row. Repeated numbers
    # are left out, so that equal rows of one person count once.
    pairs = np.unique(mine * n + owners)
    crowd = np.bincount(pairs // n, minlength=size)
    copied = pairs[(crowd[pairs // n] == 1) & (released[pairs // n] > 0)] % n
    return Copies(
        int(released[crowd > 0].sum()), int(released[crowd == 1].sum()), len(np.unique(copied))
    )


def record_distances(
    original: ArrayLike,
    release: ArrayLike,
    control: ArrayLike | None = None,
    numbers: Numbers | None = None,
) -> RecordDistances:
    """Measure the distances of released rows to the nearest original rows, and to a control.

    Args:
        original: n x d codes of at least 0; n >= 1.
        release: m x d codes in the same coding; m >= 1.
        control: rows of people outside the release, in the same coding; None: no control.
        numbers: for each column the number of each code (nan: no number), or None for a category.
    """
    people, rows = as_table(original), as_table(release)
    outside = None if control is None else as_table(control)
    rng = np.random.default_rng(SEED)
    if outside is not None:
        size = min(len(people), len(outside))
        people, outside = _sampled_rows(people, size, rng), _sampled_rows(outside, size, rng)
    work = people.size * (1 if outside is None else 2)
    rows = _sampled_rows(rows, max(LEAST_ROWS, int(CELLS / max(1, work))), rng)
    near = _distances(people, rows, numbers)
    zero, median = float((near == 0).mean()), float(np.median(near))
    if outside is None:
        return RecordDistances(len(rows), zero, median, None, None)
    far = _distances(outside, rows, numbers)
    nearer = float((near < far).sum() + (near == far).sum() / 2)
    return RecordDistances(len(rows), zero, median, float(np.median(far)), Rate(nearer, len(rows)))


def _distances(people: Codes, rows: Codes, numbers: Numbers | None) -> Floats:
    """Return the distance of each released row to the nearest row of a table of people, 0 to 1.

    Gower's distance, divided by the number of columns.

    people: codes of the table of people. rows: codes of the released rows.
    numbers: for each column the number of each code (nan: no number), or None for a category.
    """
    nearest_distances = (near.min_distance for near in neighbours(people, rows, numbers))
    distances: Floats = np.round(
        np.fromiter(nearest_distances, float, len(rows)) / people.shape[1], 9
    )
    return distances


def _sampled_rows(table: Codes, size: int, rng: np.random.Generator) -> Codes:
    """Return a random sample of at most `size` rows of the table, in the table's order."""
    if len(table) <= size:
        return table
    return table[np.sort(rng.choice(len(table), size, replace=False))]
