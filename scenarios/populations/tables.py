"""The tables that veilmix ships, as sources of populations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ...analysis.shipped_tables import shipped_rows
from ..schema.model import PopulationSection
from .people import SourceTable

TABLES = (
    "titanic", "admissions", "hair-eye", "census", "heart-risk", "rochdale", "dayton",
    "cancer-knowledge", "employment", "drinking", "divorce", "punishment", "ovary", "caesarean",
    "eyesight", "toxaemia",
)  # fmt: skip


@cache
def shipped(name: str) -> SourceTable:
    """Return a shipped table with one row for each person."""
    rows = shipped_rows(name)
    return SourceTable(name, rows.columns, rows.codes, rows.values, rows.note)


@dataclass(frozen=True, slots=True)
class ShippedSource:
    """A table that is shipped with veilmix: a `Source`.

    Attributes:
        name: the name of the table.
    """

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the table's columns."""
        return shipped(self.name).columns

    @property
    def digest(self) -> str:
        """An empty text in place of a digest: the table is a part of veilmix."""
        return ""

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield every row of the table as texts, in the order of its columns."""
        whole = shipped(self.name)
        for codes in whole.codes.tolist():
            yield [texts[code] for texts, code in zip(whole.values, codes, strict=True)]

    def table(
        self,
        chosen: Sequence[tuple[str, str]],
        section: PopulationSection,  # noqa: ARG002
        progress: Callable[[str], None] = lambda _stage: None,  # noqa: ARG002
    ) -> SourceTable:
        """Return the chosen columns, each given as (name in the scenario, name in the table).

        A shipped table has no empty cells and is small, so `section` and `progress` are not used.
        """
        whole = shipped(self.name)
        places = [whole.columns.index(source_column) for _, source_column in chosen]
        return SourceTable(
            name=whole.name,
            columns=tuple(ours for ours, _ in chosen),
            codes=whole.codes[:, places],
            values=tuple(whole.values[place] for place in places),
            note=whole.note,
            source=self,
        )
