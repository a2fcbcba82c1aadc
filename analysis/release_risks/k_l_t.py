"""k, l and t: how many share the known columns, and what the others of them have in common.

    k            the fewest people who share their values of the quasi-identifiers (Sweeney 2002)
    l            the fewest different values of a sensitive column among such people
    entropy l    exp of the least entropy of it among them (Machanavajjhala et al. 2007)
    t            the largest distance of its law among them from its law among all (Li et al. 2007):
                 half the sum of differences; with values in order (`numbers`), the sum of
                 differences of the cumulated laws over the number of values less one

Whoever wants the numbers of several sensitive columns takes the least l and the largest t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_columns, as_table, cells_of

CELLS = 1 << 22  # people of classes x values that are held at once


@dataclass(frozen=True, slots=True)
class Diversity:
    """Of one sensitive column, defined above.

    Attributes:
        column: its number.
        k: the fewest people who agree in what may be known.
        l: the fewest different values among them.
        entropy_l: exp of the least entropy among them; at least 1.
        t: the largest distance of their values' law from everybody's, 0 to 1.
        classes: different values of what may be known.
    """

    column: int
    k: int
    l: int
    entropy_l: float
    t: float
    classes: int


def diversity(
    table: ArrayLike,
    quasi: Sequence[int],
    sensitive: int,
    numbers: NDArray[np.float64] | None = None,
) -> Diversity:
    """Measure a table.

    Args:
        table: n x d codes of at least 0, one row a person; n >= 1.
        quasi: distinct numbers of the columns that may be known; none: everybody is one class.
        sensitive: the number of the column that nobody should learn.
        numbers: the number of each of its codes, if they are numbers (nan: the last of all); t is
            then the distance of values in order.
    """
    codes = as_table(table)
    if not len(codes):
        raise ParameterError("table: found nobody; at least one person is needed")
    known = as_columns(quasi, codes.shape[1])
    (sought,) = as_columns([sensitive], codes.shape[1])
    classes = cells_of(codes, known) if known else np.zeros(len(codes), np.int64)
    values = codes[:, sought] if numbers is None else numbers[codes[:, sought]]
    _, values = np.unique(values, return_inverse=True)
    m, many = int(values.max()) + 1, int(classes.max()) + 1
    people = np.bincount(classes)
    cells, counts = np.unique(classes * m + values, return_counts=True)
    owner, value = cells // m, cells % m
    shares = counts / people[owner]
    entropy = np.bincount(owner, weights=-shares * np.log(shares), minlength=many)
    law = np.bincount(values) / len(values)
    far = _ordered(owner, value, shares, law, many) if numbers is not None else None
    if far is None:  # the sum of what is above the law is half the sum of all differences
        far = np.bincount(owner, weights=np.maximum(0.0, shares - law[value]), minlength=many).max()
    return Diversity(
        sought,
        int(people.min()),
        int(np.bincount(owner).min()),
        exp(max(0.0, float(entropy.min()))),
        float(far),
        many,
    )


def _ordered(
    owner: NDArray[np.int64],
    value: NDArray[np.int64],
    shares: NDArray[np.float64],
    law: NDArray[np.float64],
    many: int,
) -> float:
    """The largest ordered distance of a class; 0 where there is one value only."""
    m = len(law)
    if m == 1:
        return 0.0
    step, worst = max(1, CELLS // m), 0.0
    up_to = np.cumsum(law)
    for first in range(0, many, step):
        held = slice(*np.searchsorted(owner, (first, first + step)))
        laws = np.zeros((min(step, many - first), m))
        laws[owner[held] - first, value[held]] = shares[held]
        far = np.abs(np.cumsum(laws, axis=1) - up_to).sum(axis=1) / (m - 1)
        worst = max(worst, float(far.max()))
    return worst
