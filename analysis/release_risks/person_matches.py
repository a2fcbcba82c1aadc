"""Persons with several rows in the original, and the rows of a release that fit them.

A person is as exposed as the most exposed of the person's rows (ADR 111). A released row fits an
original row x if each of its values stands for the value of x. The release does not show to which
persons its rows belong. So the *fewest persons behind* the r rows that fit x are counted:

    least m with c_1 + ... + c_m >= r

with c_1 >= c_2 >= ... the numbers of original rows of each person, among the rows that look like x
in the release. If a synthetic release has more fitting rows than there are such original rows, each
further row counts as a person. The fitting rows may have different generalizations. Then each
combination of generalization levels is counted alone and the largest count is taken, because two
levels may show the same persons.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..exposure.counts import Integers
from .compatible_rows import CompatibleColumn, FittingCells, fitting_cells

UNKNOWN = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class PersonMatches:
    """Numbers of persons that fit each other between the original and the release.

    A person may have several rows in the original. A released row fits an original row if each of
    its values stands for the original value.

    Attributes:
        crowds: for each person the fewest persons behind the released rows that fit one of the
            person's rows, the least over these rows; 0 without fitting rows; shape (persons,).
        people: the number of different persons that fit each row of the release.
        pairs: number of persons with a row that released rows fit, if no such released row
            fits another person.
    """

    crowds: Integers
    people: Integers
    pairs: int


def match_persons(
    original: ArrayLike,
    release: ArrayLike,
    columns: Sequence[CompatibleColumn],
    owner: Integers,
) -> PersonMatches:
    """Count the persons behind the rows that fit each person, and the persons that fit each row.

    A released row fits an original row if each of its values stands for the original value.

    Args:
        original: n x d codes of at least 0.
        release: m x d codes of at least 0.
        columns: for each of the d columns, the original values that each released value stands for.
        owner: the person of each original row, from 0 without gaps.

    Raises:
        ParameterError: the tables differ in their columns, or the release mixes generalizations in
            too many combinations.
    """
    owners, n = np.asarray(owner, np.int64), int(owner.max()) + 1
    behind, is_single = np.zeros(len(owners), np.int64), np.ones(len(owners), bool)
    people = np.zeros(len(np.asarray(release)), np.int64)
    for part in fitting_cells(original, release, columns):
        fitting = np.bincount(part.row_cells, minlength=part.size)
        persons, fewest = _persons_of_cells(part, owners[part.people], n, fitting)
        people[part.rows] = persons[part.row_cells]
        cells = part.people_cells
        behind[part.people] = np.maximum(behind[part.people], fewest[cells])
        is_single[part.people] &= (fitting[cells] == 0) | (persons[cells] == 1)
    has_match = behind > 0
    crowds = np.full(n, UNKNOWN, np.int64)
    np.minimum.at(crowds, owners[has_match], behind[has_match])
    crowds[crowds == UNKNOWN] = 0
    return PersonMatches(crowds, people, len(np.unique(owners[has_match & is_single])))


def _persons_of_cells(
    part: FittingCells, owners: Integers, n: int, fitting: Integers
) -> tuple[Integers, Integers]:
    """Return the persons of each cell's original rows, and the fewest persons of its released rows.

    A cell is a combination of released values; released and original rows of a cell fit each other.

    part: the cells of released and original rows.
    owners: the person of each of these original rows.
    n: number of persons.
    fitting: number of released rows in each cell.
    """
    if not len(owners):
        return np.zeros(part.size, np.int64), fitting
    keys, rows = np.unique(part.people_cells * n + owners, return_counts=True)
    cells = keys // n
    persons = np.bincount(cells, minlength=part.size)
    order = np.lexsort((-rows, cells))
    cells, rows = cells[order], rows[order]
    starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    # Persons are sorted by cell, the person with most rows first. These are the rows of all persons
    # sorted before a person; the next line leaves only the rows in the same cell.
    row_offsets = np.cumsum(rows) - rows
    row_offsets -= np.repeat(row_offsets[starts], np.diff(starts, append=len(cells)))
    needed = np.bincount(cells[row_offsets < fitting[cells]], minlength=part.size)
    supply = np.bincount(part.people_cells, minlength=part.size)
    return persons, needed + np.maximum(0, fitting - supply)
