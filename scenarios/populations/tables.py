"""The tables that veilmix ships, each as the counts of its rows.

A file beside this one holds lines of provenance that start with `#`, a header that ends in `count`,
and one line for each combination that occurs. Person i is found by counting through the lines in
their order, so each person has the same number in every run.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..schema.model import Population as Section
from .people import Table

TABLES = (
    "titanic", "admissions", "hair-eye", "census", "heart-risk", "rochdale", "dayton",
    "cancer-knowledge", "employment", "drinking", "divorce", "punishment", "ovary", "caesarean",
    "eyesight", "toxaemia",
)  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class ShippedSource:
    """A shipped table: a `Source`.

    Attributes:
        name: of the table.
    """

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return shipped(self.name).columns

    @property
    def digest(self) -> str:
        """No digest: the table is part of veilmix."""
        return ""

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield every row as text."""
        whole = shipped(self.name)
        for codes in whole.codes.tolist():
            yield [texts[code] for texts, code in zip(whole.values, codes, strict=True)]

    def table(
        self,
        chosen: Sequence[tuple[str, str]],
        section: Section,  # noqa: ARG002
        progress: Callable[[str], None] = lambda _stage: None,  # noqa: ARG002
    ) -> Table:
        """Give columns, each as our name for it and its own; no cell of them is empty."""
        whole = shipped(self.name)
        places = [whole.columns.index(source_column) for _, source_column in chosen]
        return Table(
            name=whole.name,
            columns=tuple(ours for ours, _ in chosen),
            codes=whole.codes[:, places],
            values=tuple(whole.values[place] for place in places),
            note=whole.note,
            source=self,
        )
