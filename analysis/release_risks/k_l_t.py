"""k-anonymity, l-diversity and t-closeness: class sizes, and the sensitive values within classes.

A class is the people that share their values of the quasi-identifiers.

    k            the number of people in the smallest class (Sweeney 2002)
    l            the fewest different values of a sensitive column in a class
    entropy l    exp of the least entropy of the sensitive values in a class
                 (Machanavajjhala et al. 2007)
    t            the largest distance of a class's distribution of sensitive values from that of all
                 people (Li et al. 2007): half the sum of absolute differences. For ordered values
                 (`numbers`): the sum of absolute differences of the cumulative distributions,
                 divided by the number of values less one

For several sensitive columns take the least l and the largest t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_columns, as_table, cells_of
from ..exposure.persons import Persons

# most entries of a matrix of classes x values that are made at once, to bound the memory
CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Diversity:
    """k-anonymity, l-diversity and t-closeness of a table for a sensitive column.

    A class is the people with equal values in the quasi-identifiers.

    Attributes:
        column: number of the sensitive column.
        k: people in the smallest class.
        l: the fewest different sensitive values in a class.
        entropy_l: exp of the least entropy of the sensitive values in a class; at least 1.
        t: the largest distance of a class's distribution of values from that of all people, 0 to 1.
        classes: number of classes.
        largest_share: the largest share of a class's people that have the same value, 0 to 1.
        certain: people in a class with a single sensitive value (l is 1), which is thereby
            revealed.
    """

    column: int
    k: int
    l: int
    entropy_l: float
    t: float
    classes: int
    largest_share: float
    certain: int


def diversity(
    table: ArrayLike,
    quasi: Sequence[int],
    sensitive: int,
    numbers: NDArray[np.float64] | None = None,
    persons: Persons | None = None,
) -> Diversity:
    """Measure k-anonymity, l-diversity and t-closeness of a table for a sensitive column.

    Args:
        table: n x d codes of at least 0, one row a person; n >= 1.
        quasi: distinct numbers of the known columns; none: all people are one class.
        sensitive: the number of the sensitive column.
        numbers: the number of each code of the sensitive column, if its values are ordered numbers
            (nan: after all numbers); t is then the distance for ordered values.
        persons: the same table, with rows that belong to persons; None: each row is a person's own.
    """
    codes = as_table(table)
    if not len(codes):
        raise ParameterError("table: it has no rows; at least one person is needed")
    known_columns = as_columns(quasi, codes.shape[1])
    (sought,) = as_columns([sensitive], codes.shape[1])
    classes = cells_of(codes, known_columns) if known_columns else np.zeros(len(codes), np.int64)
    class_results = class_diversity(classes, codes[:, sought], numbers, persons)
    return Diversity(
        sought,
        int(class_results.people.min()),
        int(class_results.l.min()),
        exp(max(0.0, float(class_results.entropy.min()))),
        float(class_results.t.max()),
        len(class_results.l),
        float(class_results.largest_share.max()),
        _people_of((class_results.l == 1)[classes], persons),
    )


def _people_of(rows: NDArray[np.bool_], persons: Persons | None) -> int:
    """Return the number of people with at least one row in a mask.

    rows: a truth value for each row.
    persons: owners of the rows; None: each row is a person's own.
    """
    return int(np.count_nonzero(rows) if persons is None else np.unique(persons.owner[rows]).size)


@dataclass(frozen=True, slots=True, eq=False)
class ClassDiversity:
    """Diversity of the sensitive values in each equivalence class (people with equal known values).

    Each has shape (classes,).

    Attributes:
        people: people in the class.
        l: different values of the sensitive column; 1 where all people of the class have a value in
            common.
        entropy: entropy of the class's sensitive values, in nats, at least 0.
        t: distance of the class's distribution of values from that of all people, 0 to 1.
        largest_share: the largest share of the class's people that have the same value, 0 to 1.
    """

    people: NDArray[np.int64]
    l: NDArray[np.int64]
    entropy: NDArray[np.float64]
    t: NDArray[np.float64]
    largest_share: NDArray[np.float64]


def class_diversity(
    classes: NDArray[np.int64],
    column: NDArray[np.integer],
    numbers: NDArray[np.float64] | None = None,
    persons: Persons | None = None,
) -> ClassDiversity:
    """Measure the diversity of a sensitive column in every equivalence class.

    Args:
        classes: the class of each row, 0 to classes - 1, each in use.
        column: the code of each row in the sensitive column.
        numbers: the number of each code if the values are ordered numbers (nan: after all numbers);
            None for categories.
        persons: the same table, with rows that belong to persons; None: each row is a person's own.
    """
    _, values = np.unique(column if numbers is None else numbers[column], return_inverse=True)
    m, class_count = int(values.max()) + 1, int(classes.max()) + 1
    owner, value, counts, people = _cell_counts(classes, values, m, persons)
    law = _law(values, persons)
    shares = counts / np.bincount(owner, weights=counts)[owner]
    entropy = np.bincount(owner, weights=-shares * np.log(shares), minlength=class_count)
    different = np.bincount(owner)
    # classes in which all people share a value, so that the value is revealed
    certain = owner[counts == people[owner]]
    different[certain], entropy[certain] = 1, 0.0
    distances: NDArray[np.float64]
    if numbers is not None:
        distances = _ordered(owner, value, shares, law, class_count)
    # The positive differences of two distributions sum to half of all absolute differences, so
    # values that do not occur in a class need no term.
    else:
        above = np.maximum(0.0, shares - law[value])
        distances = np.bincount(owner, weights=above, minlength=class_count).astype(np.float64)
    largest = np.zeros(class_count)
    np.maximum.at(largest, owner, counts / people[owner])
    return ClassDiversity(people, different, entropy.astype(np.float64), distances, largest)


def _cell_counts(
    classes: NDArray[np.int64], values: NDArray[np.int64], m: int, persons: Persons | None
) -> tuple[NDArray[np.int64], ...]:
    """Return the number of people with each pair of class and value, and in each class.

    Four arrays: class, value and number of people of each pair that occurs; the people of each
    class.

    classes, values: equivalence class and sensitive value of each row.
    m: number of sensitive values.
    persons: owners of the rows; None: each row is a person's own.
    """
    cells = classes * m + values
    if persons is None:
        different, counts = np.unique(cells, return_counts=True)
        return different // m, different % m, counts, np.bincount(classes)
    n = persons.n
    pairs = np.unique(cells * n + persons.owner)
    different, counts = np.unique(pairs // n, return_counts=True)
    people = np.bincount(np.unique(classes * n + persons.owner) // n)
    return different // m, different % m, counts, people


def _law(values: NDArray[np.int64], persons: Persons | None) -> NDArray[np.float64]:
    """Return the share of each sensitive value, shape (values,).

    A person with several rows counts once for each different value.

    values: the sensitive value of each row.
    persons: owners of the rows; None: each row is a person's own.
    """
    if persons is not None:
        values = np.unique(values * persons.n + persons.owner) // persons.n
    law: NDArray[np.float64] = np.bincount(values) / len(values)
    return law


def _ordered(
    owner: NDArray[np.int64],
    value: NDArray[np.int64],
    shares: NDArray[np.float64],
    law: NDArray[np.float64],
    class_count: int,
) -> NDArray[np.float64]:
    """Return each class's distance from the distribution of all people, for ordered values; 0 to 1.

    The sum of absolute differences of the cumulative shares, divided by (number of values - 1).

    owner, value, shares: class, value and share in the class of each pair that occurs.
    law: the share of each value among all people.
    class_count: number of classes.
    """
    m, distances = len(law), np.zeros(class_count)
    if m == 1:
        return distances
    step = max(1, CELLS // m)
    up_to = np.cumsum(law)
    for first in range(0, class_count, step):
        entries = slice(*np.searchsorted(owner, (first, first + step)))
        laws = np.zeros((min(step, class_count - first), m))
        laws[owner[entries] - first, value[entries]] = shares[entries]
        block = slice(first, first + len(laws))
        distances[block] = np.abs(np.cumsum(laws, axis=1) - up_to).sum(axis=1) / (m - 1)
    return distances
