"""The tables that veilmix ships, each as the counts of its rows.

A file beside this one holds lines of provenance that start with `#`, a header that ends in `count`,
and one line for each combination that occurs. Person i is found by counting through the lines in
their order, so everybody has the same number everywhere.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np

from .people import Table

TABLES = ("titanic", "admissions", "hair-eye", "census")


@cache
def shipped(name: str) -> Table:
    """Return a shipped table, one row a person."""
    lines = Path(__file__).with_name(f"{name}.csv").read_text("utf-8").splitlines()
    note = " ".join(line.removeprefix("#").strip() for line in lines if line.startswith("#"))
    header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    values = tuple(tuple(sorted(set(column))) for column in list(zip(*rows, strict=True))[:-1])
    place = [{text: code for code, text in enumerate(column)} for column in values]
    distinct = [[at[text] for at, text in zip(place, row, strict=False)] for row in rows]
    codes = np.repeat(np.array(distinct, np.int32), [int(row[-1]) for row in rows], axis=0)
    return Table(name, tuple(header[:-1]), codes, values, note)
