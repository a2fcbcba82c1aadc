"""Persons with several rows in the difference of releases.

A reader subtracts tables of rows. In a combination of releases with factors f, a person has in a
cell

    w(person, cell) = sum over releases of f * rows of the person in the cell

A person is in the combination if w is not 0 in some cell. With equal rows in all its releases, such
a person belongs to the group that the releases give. If its rows changed, the person moved. A cell
shows the net number of its persons: persons with w > 0, less persons with w < 0, and at least one
person if its rows do not cancel. Where different persons are counted (`score --counts`), a person
with two equal rows is one person: a cell also shows the same sum of factors over the releases in
which a person has a row there, summed over persons. Its persons are exposed if either shows fewer
than k; a person in several such cells counts once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from .cells import Cell, CellCounts

PersonRows = Mapping[str, Sequence[Cell]]  # fingerprint -> the cell of each of its rows


@dataclass(frozen=True, slots=True)
class ShownPersons:
    """The persons in a combination of releases, and the persons that it exposes.

    Attributes:
        people: the number of people in the combination.
        shown_people: the number of these people in a cell that shows fewer than k persons.
    """

    people: int
    shown_people: int


def project_rows(rows: PersonRows, places: Sequence[int]) -> PersonRows:
    """Return each person's rows over some columns only, by their places in a cell."""
    return {
        person: [tuple(cell[place] for place in places) for cell in cells]
        for person, cells in rows.items()
    }


def person_counts(rows: PersonRows) -> CellCounts:
    """Return the number of different persons of each cell."""
    return Counter(cell for cells in rows.values() for cell in set(cells))


def shown_persons(terms: Iterable[tuple[PersonRows, Fraction | int]], k: int) -> ShownPersons:
    """Return the persons of a combination of releases, and the persons that it shows below k.

    terms: the rows over equal columns in each release, and its factor.
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
