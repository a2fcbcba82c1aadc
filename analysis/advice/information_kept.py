"""The information of a table left by a choice of coarser values.

entropy      bits of each column, in the table and in the coarser values
two-way      for every pair of columns, the total variation distance (0 to 1) between the people
             in each cell, and the same as rebuilt from the coarser cells: inside them, people are
             spread by each column's own counts
prediction   of one column from the other columns: the share of people for which the likeliest value
             of a naive Bayes classifier (Laplace's 1 added to every count) is right, each half of
             the people judged by the other half; beside it the most frequent value alone
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .ladder import Codes, entropy

SEED = 0x70726564  # draws the halves
DENSE = 64  # cells of a pair for each person up to which all of them are counted, not sorted
MOST_LABELS = 100  # most frequent labels of the predicted column: rarer values are never guessed
Columns = Sequence[NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Shares of people with a rightly guessed value: from coarse columns, fine columns, no column.

    Attributes:
        coarse: from the columns as advised.
        fine: from the columns as in the table.
        none: by the most frequent value.
    """

    coarse: float
    fine: float
    none: float


def bits(columns: Columns) -> list[float]:
    """The entropy of each column."""
    return [entropy(np.bincount(column)) for column in columns]


def two_way_distance(fine: Columns, coarse: Columns) -> float:
    """The mean distance over all pairs of columns; 0 where there is one column only."""
    pairs = list(combinations(range(len(fine)), 2))
    if not pairs:
        return 0.0
    inside = [_inside(*pair) for pair in zip(fine, coarse, strict=True)]
    total = 0.0
    for i, j in pairs:
        total += _distance(fine[i], fine[j], coarse[i], coarse[j], inside[i], inside[j])
    return total / len(pairs)


def _inside(fine: NDArray[np.integer], coarse: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return for each person the share of its value in its coarser value."""
    shares: NDArray[np.float64] = np.bincount(fine)[fine] / np.bincount(coarse)[coarse]
    return shares


def _distance(
    fine_i: NDArray[np.integer],
    fine_j: NDArray[np.integer],
    coarse_i: NDArray[np.integer],
    coarse_j: NDArray[np.integer],
    inside_i: NDArray[np.float64],
    inside_j: NDArray[np.float64],
) -> float:
    """The total variation of one pair; empty cells hold the rest of the rebuilt probability."""
    n = len(fine_i)
    counts, first = _cells(fine_i, fine_j)
    people, one_of = _cells(coarse_i, coarse_j)
    width = int(coarse_j.max()) + 1
    places = coarse_i[one_of].astype(np.int64) * width + coarse_j[one_of]
    cell_keys = coarse_i[first].astype(np.int64) * width + coarse_j[first]
    people_around = people[np.searchsorted(places, cell_keys)]
    rebuilt = people_around * inside_i[first] * inside_j[first] / n
    missing_share = max(0.0, 1 - float(rebuilt.sum()))
    return (float(np.abs(counts / n - rebuilt).sum()) + missing_share) / 2


def _cells(
    codes_i: NDArray[np.integer], codes_j: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the people in each occurring cell of a pair, in its order, and a row of each."""
    width = int(codes_j.max()) + 1
    cells = codes_i.astype(np.int64) * width + codes_j
    size = (int(codes_i.max()) + 1) * width
    if size > DENSE * len(cells):
        _, one_of, counts = np.unique(cells, return_index=True, return_counts=True)
        return counts, one_of
    counts = np.bincount(cells, minlength=size)
    one_of = np.zeros(size, np.int64)
    one_of[cells] = np.arange(len(cells))
    occurring = np.flatnonzero(counts)
    return counts[occurring], one_of[occurring]


def prediction(label: Codes, fine: Columns, coarse: Columns) -> Prediction:
    """Return the shares of right predictions. Raises ParameterError for fewer than two people."""
    if len(label) < 2:
        raise ParameterError(f"label: found {len(label)} people; at least 2 are accepted")
    frequent = np.argsort(-np.bincount(label), kind="stable")[:MOST_LABELS]
    place = np.full(int(label.max()) + 1, -1)
    place[frequent] = np.arange(len(frequent))
    label_codes = place[label]
    baseline = float(np.bincount(label).max() / len(label))
    return Prediction(_right(label_codes, coarse), _right(label_codes, fine), baseline)


def _right(label_codes: Codes, columns: Columns) -> float:
    """Return the share of people with the likeliest label; each half is judged by the rest."""
    right = 0
    sides = np.random.default_rng(SEED).permutation(len(label_codes)) % 2
    for half in (0, 1):
        taught, tested = (sides == half) & (label_codes >= 0), sides != half
        labels = int(label_codes.max()) + 1
        score = np.log(np.bincount(label_codes[taught], minlength=labels) + 1.0)[None, :]
        score = np.repeat(score, int(tested.sum()), axis=0)
        for column in columns:
            values = int(column.max()) + 1
            cells = np.bincount(
                label_codes[taught] * values + column[taught], minlength=labels * values
            )
            table = cells.reshape(labels, values) + 1.0
            score += np.log(table / table.sum(axis=1, keepdims=True)).T[column[tested]]
        right += int((score.argmax(axis=1) == label_codes[tested]).sum())
    return right / len(label_codes)
