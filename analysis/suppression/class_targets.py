"""Targets of a class of equal released rows: k people, and diversity of sensitive values.

The targets are k-anonymity, l-diversity, entropy l-diversity and t-closeness. A class meets its
targets as `release_risks.k_l_t` counts them. If persons have several rows, different persons are
counted, and a person counts once for each of its values. If all persons of a class have one value
in common, its l is 1. Any set of rows can be judged as a class.

Take a class of n equal rows of the table that misses a target. In every release, at least one of
these rows has a suppressed cell. The number of such rows is at least (the second and third if each
person has one row)

    n, if people are fewer than k or values too few: suppression adds none
    n (1 - H / ln L), for the entropy H and the target L = entropy-l: if r rows leave, the entropy
        of all n is at least (1 - r/n) times the entropy of the rows that stay
    n (d - t), if the distance is d: it changes by at most r/n if r rows leave
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from ..exposure.counts import Integers
from ..validation import Floats

# tolerance of the targets entropy-l and t, because entropy and distance have rounding errors
ROUNDING = 1e-9
# most entries in memory of a matrix of classes times values; more classes are taken in turn
CELLS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class ValueTarget:
    """The targets of every class for a sensitive column: l-diversity, entropy and t-closeness.

    Attributes:
        values: the number of each row's value, 0 to m - 1 for m values.
        law: the share of each value among all people, shape (m,).
        ordered: whether values have an order, so that t is their earth mover's distance.
        l: the least number of different values in each class.
        entropy_l: the least exp(entropy) of the values in each class; 1: any.
        t: the largest distance of each class's distribution from `law`; 1: any.
    """

    values: Integers
    law: Floats
    ordered: bool = False
    l: int = 1
    entropy_l: float = 1.0
    t: float = 1.0

    @property
    def fewest(self) -> int:
        """The least number of different values in every class, from the targets l and entropy-l."""
        return max(self.l, ceil(self.entropy_l - ROUNDING))


@dataclass(frozen=True, slots=True, eq=False)
class ClassTargets:
    """The targets that every class of equal released rows must meet.

    Attributes:
        k: the least number of people in a class.
        columns: targets of sensitive columns.
        owner: the number of the person of each row, 0 to persons - 1; None: each row is a person's
            own.
        persons: number of persons.
    """

    k: int
    columns: tuple[ValueTarget, ...] = ()
    owner: Integers | None = None
    persons: int = 0

    @property
    def joins_keep(self) -> bool:
        """Whether two classes that meet the targets also meet the targets if they are joined.

        Joining may break a target if persons have several rows and a sensitive column has a target.
        Then all persons of the joined class may have a value in common, although this holds for
        neither class alone.
        """
        has_targets = any(column.fewest > 1 or column.t < 1 for column in self.columns)
        return self.owner is None or not has_targets

    def people(self, classes: Integers, rows: Integers) -> Integers:
        """Return the number of people in each class, shape (classes,).

        Args:
            classes: the class of each row, 0 to classes - 1.
            rows: indices of these rows in the table.
        """
        if self.owner is None:
            return np.bincount(classes)
        pairs = np.unique(classes * np.int64(self.persons) + self.owner[rows])
        return np.bincount(pairs // self.persons)

    def shortfall(self, classes: Integers, rows: Integers) -> Floats:
        """Return for each class a distance from its targets; 0 if it meets all targets.

        Args:
            classes: the class of each row, 0 to classes - 1, each in use.
            rows: indices of these rows in the table.
        """
        people = self.people(classes, rows)
        short: Floats = np.maximum(0, self.k - people) / self.k
        for column in self.columns:
            law = self._law_of(column, classes, rows, people)
            lacking = np.maximum(0, column.l - law.different) / column.l
            gap = column.entropy_l - np.exp(law.entropy)
            lacking += np.where(gap > ROUNDING, gap / column.entropy_l, 0)
            far = law.distance - column.t
            short += lacking + np.where(far > ROUNDING, far, 0)
        return short

    def meets(self, rows: Integers) -> bool:
        """Whether a class of these rows meets k and all targets of sensitive columns.

        `rows` are indices of rows in the table.
        """
        one_class = np.zeros(len(rows), np.int64)
        return bool(len(rows)) and not self.shortfall(one_class, rows)[0]

    def leaving(self, classes: Integers) -> Integers:
        """Return, for each class, a lower bound on its rows with a suppressed cell.

        In any release that meets the targets, at least so many rows of the class have a suppressed
        cell. `classes` is the class of each row of the table.
        """
        rows = np.arange(len(classes))
        size, people = np.bincount(classes), self.people(classes, rows)
        leaving_shares = np.zeros(len(size))
        every = people < self.k
        for column in self.columns:
            law = self._law_of(column, classes, rows, people)
            every |= law.values < column.fewest
            missed = law.different < column.l
            if column.entropy_l > 1:
                short = np.exp(law.entropy) < column.entropy_l - ROUNDING
                missed |= short
                if self.owner is None:
                    lost_share = 1 - law.entropy / log(column.entropy_l - ROUNDING)
                    leaving_shares = np.maximum(
                        leaving_shares, np.where(short, lost_share * size, 0)
                    )
            far = law.distance - column.t - ROUNDING
            missed |= far > 0
            if self.owner is None:
                leaving_shares = np.maximum(leaving_shares, far * size)
            leaving_shares = np.maximum(leaving_shares, missed)
        fewest = np.ceil(leaving_shares - ROUNDING).astype(np.int64)
        if self.owner is None:
            every |= (fewest > 0) & (size - fewest < self.k)
        return np.where(every, size, fewest)

    def reached(self, classes: Integers, rows: Integers) -> NDArray[np.bool_]:
        """Return whether each class has enough people, and enough different sensitive values.

        If not, no part of the class can meet the targets. The result has shape (classes,).

        Args:
            classes: the class of each row, 0 to classes - 1.
            rows: indices of these rows in the table.
        """
        enough = self.people(classes, rows) >= self.k
        for column in self.columns:
            if column.fewest > 1:
                m = len(column.law)
                cells = np.unique(classes * np.int64(m) + column.values[rows])
                enough &= np.bincount(cells // m, minlength=len(enough)) >= column.fewest
        return enough

    def _law_of(
        self, column: ValueTarget, classes: Integers, rows: Integers, people: Integers
    ) -> _ClassLaws:
        """Return the diversity of a sensitive column's values in each class.

        Args:
            column: the column's values and targets.
            classes: the class of each row.
            rows: indices of these rows in the table.
            people: number of people in each class.
        """
        m, values = len(column.law), column.values[rows]
        cells = classes * np.int64(m) + values
        if self.owner is not None:
            cells = np.unique(cells * self.persons + self.owner[rows]) // self.persons
        cells, counts = np.unique(cells, return_counts=True)
        place, value = cells // m, cells % m
        share = counts / np.bincount(place, counts)[place]
        present = np.bincount(place)
        different = present.copy()
        entropy: Floats = np.bincount(place, -share * np.log(share)).astype(np.float64)
        # If all people of a class have a value in common, an attacker learns this value of each
        # person. So the class counts as one value, with entropy 0.
        certain = place[counts == people[place]]
        different[certain], entropy[certain] = 1, 0.0
        distance: Floats = np.zeros(len(people))
        if column.t < 1 and column.ordered:
            distance = _ordered(place, value, share, column.law, len(people))
        elif column.t < 1:
            above = np.maximum(0.0, share - column.law[value])
            distance = np.bincount(place, above).astype(np.float64)
        return _ClassLaws(present, different, entropy, distance)


@dataclass(frozen=True, slots=True, eq=False)
class _ClassLaws:
    """The diversity of a sensitive column's values in each class; arrays of shape (classes,).

    Attributes:
        values: number of values that occur.
        different: the l of l-diversity: 1 if all people of the class have a value in common, else
            the number of values.
        entropy: of the values' distribution, in nats; 0 if all people have a value in common.
        distance: distance from the distribution of all people, as t-closeness measures it.
    """

    values: Integers
    different: Integers
    entropy: Floats
    distance: Floats


def _ordered(place: Integers, value: Integers, share: Floats, law: Floats, classes: int) -> Floats:
    """Return each class's distance from the distribution of all people, for ordered values.

    The distance is the earth mover's distance: the mean, over the first m - 1 of m values, of the
    gap between cumulated shares. At the last value both cumulated shares are 1, so there is no gap.

    Args:
        place: class of each entry.
        value: value of each entry.
        share: share of the value in the class, for each entry.
        law: share of each value among all people.
        classes: number of classes.
    """
    m, distance = len(law), np.zeros(classes)
    if m == 1:
        return distance
    step = max(1, CELLS // m)
    for first in range(0, classes, step):
        part = slice(*np.searchsorted(place, (first, first + step)))
        shares = np.zeros((min(step, classes - first), m))
        shares[place[part] - first, value[part]] = share[part]
        gaps = np.abs(np.cumsum(shares - law, axis=1)).sum(axis=1)
        distance[first : first + len(shares)] = gaps / (m - 1)
    return distance
