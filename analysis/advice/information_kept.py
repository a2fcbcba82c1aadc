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

SEED = 0x70726564  # seeds the division of the people into two halves
# Two columns with at most this number of cells for each person are counted in an array; with more
# cells, the codes are sorted.
DENSE = 64
# Only this number of the most frequent values of the predicted column are predicted; rarer values
# are never guessed.
MOST_LABELS = 100
Columns = Sequence[NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The success of predicting one column from the other columns, coarse and fine.

    All numbers are shares of people with a rightly guessed value.

    Attributes:
        coarse: from the columns as advised.
        fine: from the columns as in the table.
        none: by the most frequent value.
    """

    coarse: float
    fine: float
    none: float


def bits(columns: Columns) -> list[float]:
    """Return the entropy of each column in bits."""
    return [entropy(np.bincount(column)) for column in columns]


def two_way_distance(fine: Columns, coarse: Columns) -> float:
    """Return the mean total variation distance, 0 to 1, over all pairs of columns.

    Each is between the joint of two fine columns and the joint as rebuilt from the coarse columns;
    0 if there is a single column.

    Args:
        fine: the code of each person in each column of the table.
        coarse: the code of each person in each coarser column.
    """
    pairs = list(combinations(range(len(fine)), 2))
    if not pairs:
        return 0.0
    inside = [_inside(*pair) for pair in zip(fine, coarse, strict=True)]
    total = 0.0
    for i, j in pairs:
        total += _distance(fine[i], fine[j], coarse[i], coarse[j], inside[i], inside[j])
    return total / len(pairs)


def _inside(fine: NDArray[np.integer], coarse: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return, for each person, its fine value's share of the people with its coarse value."""
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
    """Return the total variation distance of one pair of columns, from 0 to 1.

    Arguments as in `two_way_distance`; `inside_i` and `inside_j` are the results of `_inside`.
    Cells without a person hold the missing rebuilt probability.
    """
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
    """Return the occupied cells of two columns, in ascending order.

    Returns:
        The people in each cell, and for each cell the number of a row in it.
    """
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
    """Predict one column from the other columns; return the shares of right predictions.

    Args:
        label: the code of each person in the predicted column.
        fine: its codes in the other columns of the table.
        coarse: its codes in the coarser columns.

    Raises ParameterError for fewer than two people.
    """
    if len(label) < 2:
        raise ParameterError(f"label: found {len(label)} people; at least 2 are accepted")
    frequent = np.argsort(-np.bincount(label), kind="stable")[:MOST_LABELS]
    place = np.full(int(label.max()) + 1, -1)
    place[frequent] = np.arange(len(frequent))
    label_codes = place[label]
    baseline = float(np.bincount(label).max() / len(label))
    return Prediction(_right(label_codes, coarse), _right(label_codes, fine), baseline)


def _right(label_codes: Codes, columns: Columns) -> float:
    """Return the share of people for whom a naive Bayes classifier predicts the right label.

    The people are halved at random; each half is predicted by a classifier trained on the other
    half. Labels of -1 are too rare to be predicted.
    """
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
