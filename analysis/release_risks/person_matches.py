"""Persons with several rows in the original, and the rows of a release that fit them.

A person is as exposed as its worst row (ADR 111). For an original row x, the rows of the release
that fit it belong to persons, and the release does not show to which. The *fewest persons behind*
them are counted so that persons with the most rows there come first:

    least m with c_1 + ... + c_m >= r     r fitting rows, c_1 >= c_2 >= ... original rows of persons

in the cell of x. Rows beyond all original rows there (of a synthetic table) count as a person each,
so that with one row each it is the number of fitting rows. If rows of several levels fit x, the
level with the most persons counts, as the levels may show the same persons.
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

    A person may have several rows.

    Attributes:
        crowds: the fewest persons behind the rows that fit a row of the person, for its row with
            the fewest; 0 for a person without fitting rows; shape (persons,).
        people: the number of different persons that fit each row of the release.
        pairs: persons with a row that is fitted, and only by rows that fit no other person.
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

    Args:
        original: n x d codes of at least 0.
        release: m x d codes of at least 0.
        columns: of each of the d columns, the original values of released values.
        owner: the person of each original row, from 0 without gaps.

    Raises:
        ParameterError: as of `match_rows`.
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
    """Return the different persons of each cell, and the fewest persons behind its fitting rows.

    `fitting` is the number of released rows in each cell, `owners` the person of each original row.
    """
    if not len(owners):
        return np.zeros(part.size, np.int64), fitting
    keys, rows = np.unique(part.people_cells * n + owners, return_counts=True)
    cells = keys // n
    persons = np.bincount(cells, minlength=part.size)
    order = np.lexsort((-rows, cells))
    cells, rows = cells[order], rows[order]
    starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    row_offsets = np.cumsum(rows) - rows  # rows of the persons before, over all cells
    row_offsets -= np.repeat(row_offsets[starts], np.diff(starts, append=len(cells)))
    needed = np.bincount(cells[row_offsets < fitting[cells]], minlength=part.size)
    supply = np.bincount(part.people_cells, minlength=part.size)
    return persons, needed + np.maximum(0, fitting - supply)
