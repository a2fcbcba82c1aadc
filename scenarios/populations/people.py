"""People as numbers: person i's value of column j is `values[j][codes[i, j]]`.

A `Table` is what a source holds; a `Population` is what a scenario asks of it: chosen columns, each
with the domain that ballots are made for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...protocol.schema import MAX_VALUES, MAX_WIDTH, Schema
from ...protocol.schema import Feature as Column
from ..schema.model import Feature
from .roles import Judged

WIDTH = 32  # bytes of UTF-8 in a value of an open domain that names no width
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of a source. codes: n x d, indices into `values`, one tuple of texts a column.

    origin: the number (from 0) of each row in the source; None: they are all there, in its order.
    judged: what the columns are to somebody who looks for a person, those left out included.
    """

    name: str
    columns: tuple[str, ...]
    codes: Codes
    values: tuple[tuple[str, ...], ...]
    note: str
    warnings: tuple[str, ...] = ()
    origin: Codes | None = None
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The people who take part, in the order in which they are numbered (from 0).

    codes: int32, n x d, indices into `values`. values: the texts of each column, also those of an
    open domain, whose `schema` values are None. note: where the people come from, and the licence.
    warnings: what was done to the data, or is odd about them, for whoever runs the scenario.
    origin: the number (from 0) of each person's row in the source; None: all rows, in its order.
    judged: what the columns of the source are, those that nobody is asked about included.
    """

    name: str
    schema: Schema
    codes: Codes
    values: tuple[tuple[str, ...], ...]
    note: str
    warnings: tuple[str, ...] = ()
    origin: Codes | None = None
    judged: tuple[Judged, ...] = ()

    @property
    def n(self) -> int:
        """How many people take part."""
        return int(self.codes.shape[0])

    def row(self, i: int) -> tuple[str, ...]:
        """Return person i's values, in column order."""
        return tuple(
            texts[code] for texts, code in zip(self.values, self.codes[i].tolist(), strict=True)
        )

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> "Population":
        """Draw n people without replacement; they keep their order. DataError if n is more."""
        if not 1 <= n <= self.n:
            raise DataError(f"{self.name}: {n:,} people asked for; it has {self.n:,} to draw from")
        chosen = np.sort(np.random.default_rng(rng).choice(self.n, size=n, replace=False))
        origin = chosen.astype(np.int32) if self.origin is None else self.origin[chosen]
        return replace(self, codes=np.ascontiguousarray(self.codes[chosen]), origin=origin)


def ask(table: Table, features: Sequence[Feature]) -> Population:
    """Make a population of a table whose columns are the features, in order; none: all as they are.

    Raises DataError where the data do not fit a feature, or a feature is not in the table.
    """
    features = features or [Feature(name=name) for name in table.columns]
    columns, codes, values, odd = [], [], [], list(table.warnings)
    for feature in features:
        if feature.name not in table.columns:
            raise DataError(
                f"{table.name}: no column is called {feature.name!r}; it has "
                f"{', '.join(table.columns)}"
            )
        j = table.columns.index(feature.name)
        wrong = misfit(feature, table.values[j])
        if wrong:
            raise DataError(f"{table.name}: feature {feature.name!r}: {wrong[1]}")
        column = domain(feature, table.values[j])
        texts = table.values[j] if column.values is None else column.values
        columns.append(column)
        values.append(texts)
        codes.append(recode(table.codes[:, j], table.values[j], texts))
        if len(texts) == 1:
            odd.append(f"column {feature.name!r} has one value only ({texts[0]!r})")
    return Population(
        name=table.name,
        schema=Schema(tuple(columns)),
        codes=np.ascontiguousarray(np.stack(codes, axis=1)),
        values=tuple(values),
        note=table.note,
        warnings=tuple(odd),
        origin=table.origin,
        judged=table.judged,
    )


def domain(feature: Feature, occurring: tuple[str, ...]) -> Column:
    """Give the domain of a feature: the one it names, or the values that occur, in their order."""
    if feature.open:
        return Column(feature.name, None, feature.width or WIDTH)
    return Column(feature.name, occurring if feature.values is None else feature.values)


def misfit(feature: Feature, occurring: Sequence[str]) -> tuple[str, str] | None:
    """Return the key of a feature that the data contradict and what is wrong, or None."""
    most = feature.width or WIDTH if feature.open else MAX_WIDTH
    longest = max(occurring, key=lambda text: len(text.encode()))
    if len(longest.encode()) > most:
        shown = longest if len(longest) <= 40 else longest[:37] + "..."
        says = "raise width" if feature.open and most < MAX_WIDTH else "shorten it"
        return "width", (
            f"the value {shown!r} takes {len(longest.encode()):,} bytes of UTF-8, more than the "
            f"{most:,} that padding allows; {says}"
        )
    if feature.values is not None:
        accepted = set(feature.values)
        lacking = [text for text in occurring if text not in accepted]
        if lacking:
            more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
            return "values", (
                f"the data also hold {', '.join(map(repr, lacking[:5]))}{more}; "
                "add what is lacking, or leave values out"
            )
    elif not feature.open and len(occurring) > MAX_VALUES:
        return "open", (
            f"the data hold {len(occurring):,} different values; a public domain has at most "
            f"{MAX_VALUES:,}: say open = true"
        )
    return None


def recode(codes: Codes, old: tuple[str, ...], new: tuple[str, ...]) -> Codes:
    """Express codes for the texts `old` as codes for the texts `new`, which hold all of them."""
    if old == new:
        return codes
    place = {text: code for code, text in enumerate(new)}
    return np.array([place[text] for text in old], dtype=np.int32)[codes]
