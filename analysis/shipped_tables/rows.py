"""The public tables that veilmix ships, each stored as the counts of its distinct rows.

Each table is a CSV file in this module's folder. It has lines of provenance that start with `#`, a
header that ends in `count`, and one line for each combination of values that occurs. People are
numbered in the order of the lines, so each person has the same number in every run.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class ShippedRows:
    """A shipped table of n people and d columns, one row a person.

    Attributes:
        columns: names of the columns.
        codes: shape (n, d), int32: index of each person's value in `values`.
        values: the texts of each column's values, sorted.
        note: origin of the table, in words.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32]
    values: tuple[tuple[str, ...], ...]
    note: str


@cache
def shipped_rows(name: str) -> ShippedRows:
    """Return a shipped table by its name (its file name without ".csv"), such as "census"."""
    lines = Path(__file__).with_name(f"{name}.csv").read_text("utf-8").splitlines()
    note = " ".join(line.removeprefix("#").strip() for line in lines if line.startswith("#"))
    header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    values = tuple(tuple(sorted(set(column))) for column in list(zip(*rows, strict=True))[:-1])
    place = [{text: code for code, text in enumerate(column)} for column in values]
    distinct = [[at[text] for at, text in zip(place, row, strict=False)] for row in rows]
    codes = np.repeat(np.array(distinct, np.int32), [int(row[-1]) for row in rows], axis=0)
    return ShippedRows(tuple(header[:-1]), codes, values, note)
