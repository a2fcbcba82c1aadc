"""What a run gives as tables: plain columns, which every library of tables takes as they are.

A table is of the same kind whatever is installed: `pandas.DataFrame(frame.columns)` and
`polars.DataFrame(frame.columns)` are one call, and no part of veilmix needs either.

A type checker knows the cells of a `TypedFrame` by the heading: `sum(frames.release["people"])` is
an int. Cells of other headings are `Any`, as in other libraries of tables, because their types
depend on the data.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeVar, overload

from ...errors import LocalError

if TYPE_CHECKING:
    from ..programs.findings import StatedEpsilon

SHOWN = 40  # rows in a notebook; all are in `columns`
APART = ' style="text-align:left;vertical-align:top;padding:0.15em 1.2em 0.15em 0"'
Cell = str | int | float | bool | None
Whole = TypeVar("Whole", bound=str)  # headings of whole numbers
Real = TypeVar("Real", bound=str)  # headings of other numbers
Text = TypeVar("Text", bound=str)  # headings of texts


@dataclass(frozen=True, slots=True)
class Frame:
    """A table.

    Attributes:
        columns: the cells of each column by its heading, all equally many.
    """

    columns: Mapping[str, tuple[Any, ...]]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Cell]]) -> "Frame":
        """Make a table of rows that have the same headings."""
        headings = list(rows[0]) if rows else []
        return cls({heading: tuple(row[heading] for row in rows) for heading in headings})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, heading: str) -> tuple[Any, ...]:
        return self.columns[heading]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Its rows, one after the other."""
        for row in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame. LocalError where pandas is not installed."""
        try:
            import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            raise LocalError(
                "pandas is not installed here; `.columns` is a dictionary of columns without it"
            ) from None
        return pd.DataFrame(dict(self.columns))

    def __repr__(self) -> str:
        return f"<Frame of {len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        head = "".join(f"<th{APART}>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td{APART}>{_cell(cell)}</td>' for cell in row.values())}</tr>"
            for row, _ in zip(self, range(SHOWN), strict=False)
        )
        more = f"<p>... {len(self) - SHOWN:,} more rows</p>" if len(self) > SHOWN else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f'<div style="overflow-x:auto">{table}{more}</div>'


class TypedFrame(Frame, Generic[Whole, Real, Text]):
    """A table with headings that are known before the data.

    Each parameter is a `Literal` of headings: of whole numbers, other numbers, texts. Where cells
    may be empty they are `Any`.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, heading: Whole) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, heading: Real) -> tuple[float, ...]: ...
    @overload
    def __getitem__(self, heading: Text) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, heading: str) -> tuple[Any, ...]: ...
    def __getitem__(self, heading: str) -> tuple[Any, ...]:
        return self.columns[heading]


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    return escape(f"{cell:.4g}" if isinstance(cell, float) else str(cell))


def column_cells(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> dict[str, tuple[Cell, ...]]:
    """Turn rows into columns; a heading that comes twice is numbered."""
    names: dict[str, int] = {}
    for place, heading in enumerate(headings):
        name, again = heading, 2
        while name in names:
            name, again = f"{heading} ({again})", again + 1
        names[name] = place
    return {name: tuple(row[place] for row in rows) for name, place in names.items()}


def framed(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Frame:
    """Make a frame of rows; a heading that comes twice is numbered."""
    return Frame(column_cells(headings, rows))


ReleaseFrame = TypedFrame[Literal["people"], Never, Never]
MarginalFrame = TypedFrame[Literal["people"], Never, Literal["feature", "value"]]
CoalitionFrame = TypedFrame[
    Literal["linked", "users", "cells_certain", "cells"],
    Literal["bits_per_person"],
    Literal["coalition", "bits_are", "method", "verdict"],
]
EpsilonFrame = TypedFrame[
    Never, Literal["nats", "at_least", "delta"], Literal["of", "adjacency", "reading"]
]
AttackFrame = TypedFrame[Never, Literal["achieved", "of"], Literal["attack", "unit"]]


@dataclass(frozen=True, slots=True)
class Frames:
    """The tables of a run.

    Attributes:
        release: how many people share each combination of the released values; no row where
            nothing was released. A released column of the name `people` is `people (2)` here.
        marginals: how many people have each value of each feature, as the curator read them.
        coalitions: what every coalition has learnt. `bits_are`: whether the number is the value
            (exact), or a bound of it (at least, at most).
        attacks: what each attack of the scenario has achieved, of how much.
        epsilons: every epsilon, in nats, with its delta and the adjacency that it is for;
            `relied_on`: people who are assumed to tell nobody their reports. No row without noise.
    """

    release: ReleaseFrame
    marginals: MarginalFrame
    coalitions: CoalitionFrame
    attacks: AttackFrame
    epsilons: EpsilonFrame


def frames(outcome: Any) -> Frames:
    """Give the tables of a run. outcome: an Outcome, which imports this file, not the reverse."""
    released = outcome.result()["release"] or {"columns": list(outcome.kept), "counts": []}
    counted = [
        (name, values[0], people)
        for name, counts in zip(outcome.schema.names, outcome.marginals or (), strict=False)
        for values, people in sorted(counts.items())
    ]
    effects = [(effect.attack, effect.value, effect.of, effect.unit) for effect in outcome.attacks]
    return Frames(
        _release(released["columns"], released["counts"]),
        TypedFrame(column_cells(("feature", "value", "people"), counted)),
        TypedFrame(column_cells(COALITIONS, [*map(_coalition, outcome.coalitions)])),
        TypedFrame(column_cells(("attack", "achieved", "of", "unit"), effects)),
        TypedFrame(column_cells(EPSILONS, [*map(_epsilon, _stated(outcome))])),
    )


def _release(names: Sequence[str], counts: Sequence[Sequence[Cell]]) -> ReleaseFrame:
    """Make the frame of a release; `people` is the count, whatever the columns are called."""
    rows = [(people, *values) for *values, people in counts]
    columns = column_cells(("people", *names), rows)
    people = columns.pop("people")
    return TypedFrame({**columns, "people": people})


COALITIONS = (
    *("coalition", "linked", "users", "cells_certain", "cells", "bits_per_person", "bits_are"),
    *("rows_guessed", "rows_guessed_before", "method", "verdict"),
)


def _coalition(view: Any) -> tuple[Cell, ...]:
    return (
        *(" + ".join(view.parties), view.linked, view.users, view.cells_certain, view.cells),
        *(view.bits_per_person, view.bits_are.value, view.rows_guessed, view.rows_guessed_before),
        *(view.method.value, view.verdict),
    )


EPSILONS = ("of", "nats", "at_least", "delta", "adjacency", "reading", "relied_on")


def _stated(outcome: Any) -> tuple["StatedEpsilon", ...]:
    """Every epsilon of a run, and of all runs of a ledger."""
    stated: tuple[StatedEpsilon, ...] = outcome.findings.epsilons if outcome.findings else ()
    return (*stated, *(outcome.ledger.epsilons if outcome.ledger else ()))


def _epsilon(stated: "StatedEpsilon") -> tuple[Cell, ...]:
    return (
        *(stated.of, stated.nats, stated.at_least, stated.delta, stated.adjacency, stated.reading),
        stated.relied_on,
    )
