"""Persons with several rows, in sums and differences of releases.

A reader of several releases over equal columns can combine their counts. It multiplies the counts
of each release by a factor f, such as 1 and -1 for a difference, and adds them. In this combination
a person has a weight in each cell:

    w(person, cell) = sum over releases of f * rows of the person in the cell

A person is in the combination if some weight is not 0. A person whose rows changed between the
releases can be in it although persons with unchanged rows cancel out. A cell of the combination
shows two numbers of persons:

* the net number: persons with w > 0, less persons with w < 0. If the weights do not add up to 0, it
  is at least 1.
* the different persons, for tables that count equal rows of a person once (`score --counts`). Each
  person adds f for each release in which it has a row in the cell.

The persons of a cell are exposed if either number is below k and not 0. A person in several such
cells counts once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from .cells import Cell, CellCounts

# fingerprint of a person -> the cell (combination of values) of each of the person's rows
PersonRows = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class ShownPersons:
    """The number of persons in a combination (weighted sum) of releases, and of exposed persons.

    Attributes:
        people: the number of persons in the combination.
        shown_people: the number of these persons in cells that show fewer than k persons, at most
            the sum of the numbers that these cells show.
    """

    people: int
    shown_people: int


def project_rows(rows: PersonRows, places: Sequence[int]) -> PersonRows:
    """Return each person's rows over some of the columns only.

    rows: fingerprint of a person -> its rows. places: the indices of the columns in a row.
    """
    return {
        person: [tuple(cell[place] for place in places) for cell in cells]
        for person, cells in rows.items()
    }


def person_counts(rows: PersonRows) -> CellCounts:
    """Return the number of different persons in each cell (combination of values).

    rows: fingerprint of a person -> its rows.
    """
    return Counter(cell for cells in rows.values() for cell in set(cells))


def shown_persons(terms: Iterable[tuple[PersonRows, Fraction | int]], k: int) -> ShownPersons:
    """Return the persons in a combination (weighted sum) of releases, and the exposed persons.

    terms: for each release, the rows of its persons over the common columns, and the factor by
    which its counts are multiplied, such as -1. k: the smallest safe number of persons in a cell.
    """
    weights = dict[str, dict[Cell, Fraction | int]]()
    distinct = dict[Cell, Fraction | int]()
    for rows, factor in terms:
        for person, cells in rows.items():
            person_weights = weights.setdefault(person, {})
            for cell in cells:
                person_weights[cell] = person_weights.get(cell, 0) + factor
            for cell in set(cells):
                distinct[cell] = distinct.get(cell, 0) + factor
    persons_of = defaultdict[Cell, list[str]](list)
    net, sums, people = Counter[Cell](), dict[Cell, Fraction | int](), set[str]()
    for person, person_weights in weights.items():
        for cell, weight in person_weights.items():
            if weight:
                people.add(person)
                persons_of[cell].append(person)
                net[cell] += 1 if weight > 0 else -1
                sums[cell] = sums.get(cell, 0) + weight
    exposed, largest_total = set[str](), 0
    for cell, persons in persons_of.items():
        counted = abs(Fraction(distinct.get(cell, 0)))
        sizes = max(abs(net[cell]), int(sums[cell] != 0)), ceil(counted)
        sizes_below = [size for size in sizes if 0 < size < k]
        if sizes_below:
            exposed.update(persons)
            largest_total += max(sizes_below)
    return ShownPersons(len(people), min(len(exposed), largest_total))
