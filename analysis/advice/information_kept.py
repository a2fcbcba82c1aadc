"""The information that remains in a table with coarser values, by three measures.

entropy      bits of each column, in the table and in the coarser values
two-way      the joint distribution of every pair of columns is compared with an estimate from the
             coarser values, by the total variation distance (0 to 1); the estimate divides the
             people of each coarse cell by the fine counts of each single column
prediction   a naive Bayes classifier predicts one column from the other columns: the share of
             people with a right prediction; each half of the people is predicted by a classifier
             trained on the other half (1 is added to every count), and compared with always
             guessing the most frequent value
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .ladder import Codes, entropy

SEED = 0x70726564  # seeds the random division of the people into a training half and a test half
# The cells of two columns are counted in an array if it has at most this number of entries per
# person. A larger array would waste memory, so the occupied cells are found by sorting.
DENSE = 64
# The classifier predicts only this number of most frequent values of a column, which limits its
# work. People with a rarer value count as wrongly predicted.
MOST_LABELS = 100
Columns = Sequence[NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The success of predicting one column from the other columns, coarse and fine.

    All numbers are shares of people whose value is guessed correctly.

    Attributes:
        coarse: guessed from the other columns with the advised coarser values.
        fine: guessed from the other columns with the values of the table.
        none: guessed without other columns, as the most frequent value.
    """

    coarse: float
    fine: float
    none: float


def bits(columns: Columns) -> list[float]:
    """Return the entropy of each column in bits.

    columns: for each column, the integer code of every person's value.
    """
    return [entropy(np.bincount(column)) for column in columns]


def two_way_distance(fine: Columns, coarse: Columns) -> float:
    """Return the mean total variation distance, 0 to 1, over all pairs of columns.

    For each pair, the joint distribution of the fine columns is compared with an estimate of it
    from the coarse columns. 0 if there is a single column.

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
    """Return, for each person, the share of its fine value among people with its coarse value.

    fine, coarse: the code of each person in a column of the table, and in its coarsening.
    """
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
    """Return the total variation distance of a pair of columns from its estimate, 0 to 1.

    The joint distribution of the two fine columns is compared with an estimate. The estimate
    divides the people of each coarse cell by the fine counts of each single column. Fine cells
    without people get the estimated probability that the occupied cells leave.

    Args:
        fine_i: the code of each person in the first column of the table.
        fine_j: the code of each person in the second column of the table.
        coarse_i: the code of each person in the first coarser column.
        coarse_j: the code of each person in the second coarser column.
        inside_i: for each person, the share of people with the person's value of the first column
            among the people with its coarser value.
        inside_j: for each person, this share for the second column.
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
    """Return the occupied cells (combinations of values) of two columns, in ascending order.

    codes_i, codes_j: the code of each person in the two columns.

    Returns:
        The people in each occupied cell, and for each such cell the index of a person in the cell.
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
        fine: the code of each person in the other columns, with the values of the table.
        coarse: the code of each person in the other columns, with the coarser values.

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

    The people are halved at random; a classifier trained on one half predicts the other half.

    Args:
        label_codes: the label of each person; -1 if it is too rare to be predicted.
        columns: the code of each person in the columns from which the label is predicted.
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
