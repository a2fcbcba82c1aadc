"""Intersection of many releases: rows of single people by adding and subtracting counts.

Release t counts the rows of the people S_t. People that are in the same sets S_t always count
together: they are a group. Write x_g for the sum of the rows of a group g. Then every release c_t
is a sum of some x_g,

    c_t = sum over g with g in S_t of x_g,        t = 1 .. T,

which is a linear system with a 0/1 matrix. The sum x_g is known if some combination of the
equations equals x_g. If such a group is one person, its row is read. Further properties are not
used: that counts are whole numbers, and not below 0, may reveal more (history/participation.py).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..wire.messages import Counts
from .adversary_view import People

Vector = list[Fraction]


@dataclass(frozen=True, slots=True)
class SeenRelease:
    """A release in the view of an attacker.

    Attributes:
        people: the counted people, by index.
        columns: the columns of the release, in the order of values in a cell.
        counts: the number of people in each cell.
    """

    people: frozenset[int]
    columns: tuple[int, ...]
    counts: Counts


def isolate_people(releases: Sequence[SeenRelease]) -> People:
    """Network, or a party that sees respondents: return the released values of isolated people.

    A person is isolated if a weighted sum of the releases' counts contains this person alone. Only
    columns that all releases share are returned.
    """
    columns = (
        tuple(sorted(set.intersection(*(set(release.columns) for release in releases))))
        if releases
        else ()
    )
    if not columns:
        return {}
    groups = histories([release.people for release in releases])
    sums = [marginal(release, columns) for release in releases]
    matrix = [[Fraction(history >> t & 1) for history in groups] for t in range(len(releases))]
    solved = _solved(matrix)
    rows: People = {}
    for place, people in enumerate(groups.values()):
        if len(people) == 1 and place in solved:
            cell = _single_cell(solved[place], sums)
            if cell is not None:
                rows[people[0]] = dict(zip(columns, cell, strict=True))
    return rows


def histories(sets: Sequence[frozenset[int]]) -> Mapping[int, list[int]]:
    """Any party: group people by the sets that contain them.

    sets: the people of each release. A key of the result is a bit mask (the history): bit t is set
    if the people are in sets[t].
    """
    of_person: Counter[int] = Counter()
    for number, people in enumerate(sets):
        for person in people:
            of_person[person] += 1 << number
    groups: dict[int, list[int]] = defaultdict(list)
    for person in sorted(of_person):
        groups[of_person[person]].append(person)
    return groups


def marginal(release: SeenRelease, columns: Sequence[int]) -> Counter[tuple[str, ...]]:
    """Any party: return the counts of a release over some of its columns."""
    places = [release.columns.index(column) for column in columns]
    counts: Counter[tuple[str, ...]] = Counter()
    for cell, people in release.counts.items():
        counts[tuple(cell[place] for place in places)] += people
    return counts


def _solved(matrix: list[Vector]) -> dict[int, Vector]:
    """Solve a linear system by Gauss-Jordan elimination, in exact fractions.

    Returns:
        For each unknown that the equations determine: the weights of the equations in the sum that
            equals it.
    """
    equation_count = len(matrix)
    rows = [
        [*row, *(Fraction(i == j) for j in range(equation_count))]
        for i, row in enumerate(matrix)
        # each row of the matrix, then a row of the identity matrix, in which the elimination
        # records the weights of the original equations
    ]
    width, rank = len(matrix[0]), 0
    for column in range(width):
        at = next((i for i in range(rank, equation_count) if rows[i][column]), None)
        if at is None:
            continue
        rows[rank], rows[at] = rows[at], rows[rank]
        pivot = rows[rank][column]
        rows[rank] = [value / pivot for value in rows[rank]]
        for i in range(equation_count):
            factor = rows[i][column]
            if i != rank and factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    combinations = {}
    for row in rows[:rank]:
        unknowns = [column for column in range(width) if row[column]]
        if len(unknowns) == 1:
            combinations[unknowns[0]] = row[width:]
    return combinations


def _single_cell(
    weights: Vector, sums: Sequence[Counter[tuple[str, ...]]]
) -> tuple[str, ...] | None:
    """Return the released values of the one person that a weighted sum of counts leaves.

    None if more than one person is left. weights: a weight for each release. sums: the counts of
    each release over the shared columns.
    """
    total: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for weight, counts in zip(weights, sums, strict=True):
        for cell, people in counts.items():
            total[cell] += weight * people
    cells = [cell for cell, people in total.items() if people]
    return cells[0] if len(cells) == 1 and total[cells[0]] == 1 else None
