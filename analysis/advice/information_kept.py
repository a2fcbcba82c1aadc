"""What a choice of coarser values leaves of a table's information.

entropy      bits of the columns, one by one, as they are and as they would be said
two-way      for every pair of columns, the total variation distance (0 to 1) between the people
in each cell as it is, and as rebuilt from the coarser cells: inside them, people
are spread as each column's own counts have it
prediction   of one column from the others: how often the likeliest value of a naive Bayes
classifier (Laplace's 1 added to every count) is right, each half of the people
judged by what the other half says; beside it the most frequent value alone
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .ladder import Codes, entropy

SEED = 0x70726564  # of the halves
MOST_LABELS = 100  # of the column that is predicted: rarer values are never guessed
Columns = Sequence[NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Shares of people whose value is guessed rightly: from coarse columns, fine ones, none.

    Attributes:
        coarse: from the columns as they are advised.
        fine: from the columns as they are in the table.
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
    """Of each person the share that its value has of its coarser value."""
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
    """Total variation of one pair; cells in which nobody is are what is left of the rebuilt."""
    n = len(fine_i)
    _, first, counts = np.unique(
        fine_i.astype(np.int64) * (int(fine_j.max()) + 1) + fine_j,
        return_index=True,
        return_counts=True,
    )
    cells = coarse_i.astype(np.int64) * (int(coarse_j.max()) + 1) + coarse_j
    _, cell, people = np.unique(cells, return_inverse=True, return_counts=True)
    rebuilt = people[cell[first]] * inside_i[first] * inside_j[first] / n
    nobody = max(0.0, 1 - float(rebuilt.sum()))
    return (float(np.abs(counts / n - rebuilt).sum()) + nobody) / 2


def prediction(label: Codes, fine: Columns, coarse: Columns) -> Prediction:
    """How well a column is predicted from others. Raises ParameterError below two people."""
    if len(label) < 2:
        raise ParameterError(f"label: found {len(label)} people; at least 2 are accepted")
    frequent = np.argsort(-np.bincount(label), kind="stable")[:MOST_LABELS]
    place = np.full(int(label.max()) + 1, -1)
    place[frequent] = np.arange(len(frequent))
    known = place[label]
    none = float(np.bincount(label).max() / len(label))
    return Prediction(_right(known, coarse), _right(known, fine), none)


def _right(known: Codes, columns: Columns) -> float:
    """The share of people whose label is the likeliest; each half is judged by the other."""
    right = 0
    sides = np.random.default_rng(SEED).permutation(len(known)) % 2
    for half in (0, 1):
        taught, asked = (sides == half) & (known >= 0), sides != half
        labels = int(known.max()) + 1
        score = np.log(np.bincount(known[taught], minlength=labels) + 1.0)[None, :]
        score = np.repeat(score, int(asked.sum()), axis=0)
        for column in columns:
            values = int(column.max()) + 1
            cells = np.bincount(known[taught] * values + column[taught], minlength=labels * values)
            table = cells.reshape(labels, values) + 1.0
            score += np.log(table / table.sum(axis=1, keepdims=True)).T[column[asked]]
        right += int((score.argmax(axis=1) == known[asked]).sum())
    return right / len(known)
