"""Persons with several rows: rows are grouped by person, and equal rows of a person are merged."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from .people import FinerValues, Population
from .person_rows import PersonRows


def too_many(source: str, needed: int, slots: int) -> str:
    """Return the error text for a person with more different rows than the ballots of a session.

    source: the name of the table. needed: the largest number of different rows of a person. slots:
    the number of ballots of each person to a question.
    """
    return (
        f"{source}: a person has {needed:,} different rows, and rows = {slots}; accepted are "
        f"rows = {needed} or more, by which each person submits as many ballots to a question, "
        "coarser features, or one row of each person (one_row)"
    )


def grouped(people: Population, owner: NDArray[np.integer], slots: int) -> Population:
    """Return people with the rows of each person together; equal rows of a person are merged.

    people: a row each. owner: the person of each row, 0 to n - 1 without gaps, for n persons.
    slots: ballots of each person to a question.

    Raises:
        DataError: a person has more different rows than `slots`.
    """
    numbered = np.column_stack((owner, people.codes))
    _, first = np.unique(numbered, axis=0, return_index=True)  # sorted by person, then by values
    owners = np.asarray(owner)[first]
    row_counts = np.bincount(owners)
    if int(row_counts.max()) > slots:
        raise DataError(too_many(people.name, int(row_counts.max()), slots))
    finer = people.finer
    return replace(
        people,
        codes=np.ascontiguousarray(people.codes[first]),
        finer=finer and FinerValues(np.ascontiguousarray(finer.codes[first]), finer.values),
        origin=None,
        several=PersonRows(np.concatenate(([0], np.cumsum(row_counts))), slots),
    )
