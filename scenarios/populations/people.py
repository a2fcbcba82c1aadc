"""People as integer codes: person i's value of column j is `values[j][codes[i, j]]`.

A `SourceTable` is the content of a source; a `Population` is a scenario's selection from it: chosen
columns, each with the domain that ballots are made for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...protocol.wire.coarsening import Rule, coarsened
from ...protocol.wire.schema import MAX_VALUES, MAX_WIDTH, Feature, Schema
from ..schema.model import PHONES, FeatureSection, PopulationSection
from .coarsening import is_coarser, order_of, rules_of
from .person_rows import PersonRows
from .roles import JudgedColumn

WIDTH = 32  # default width of an open domain, bytes of UTF-8
Codes = NDArray[np.int32]


class Source(Protocol):
    """The interface of a source of people, as it was read: no later change of a file changes it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes that were read, in hexadecimal; "" of a shipped table."""
        ...

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield every row with all columns, as text."""
        ...

    def table(
        self,
        chosen: Sequence[tuple[str, str]],
        section: PopulationSection,
        progress: Callable[[str], None] = lambda _stage: None,
    ) -> "SourceTable":
        """Return chosen columns as codes, each given as (scenario's name, source's name).

        section: the scenario's table [population]. progress: receives the stage of reading.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class SourceTable:
    """The rows of a source, as integer codes, with notes on their origin.

    Attributes:
        name: the name of the source.
        columns: the names of the columns.
        codes: n x d, indices into `values`, one tuple of texts a column.
        values: the texts of each column.
        note: where it comes from, in words.
        warnings: warnings about values that may be misread.
        origin: the number (from 0) of each row in the source; None: they are all there, in its
            order.
        judged: the roles of the columns for an attacker, of left out columns too.
        source: the source of its rows, as it was read; None: the rows are generated.
        persons: the person of each row, from 0 without gaps, if a person has several rows; None:
            each row is another person.
        person: the definition of a person, in words.
        weights: the people of a population that each row stands for; None: no column has them.
    """

    name: str
    columns: tuple[str, ...]
    codes: Codes
    values: tuple[tuple[str, ...], ...]
    note: str
    warnings: tuple[str, ...] = ()
    origin: Codes | None = None
    judged: tuple[JudgedColumn, ...] = ()
    source: Source | None = None
    persons: Codes | None = None
    person: str = "each row"
    weights: NDArray[np.float64] | None = None

    def people_by(self, codes: NDArray[np.integer], values: int) -> NDArray[np.int64]:
        """Return the number of people with each value of a column, at least `values` numbers.

        codes: the column. A person with several rows counts once for each value.
        """
        if self.persons is not None:
            codes = np.unique(codes.astype(np.int64) * self.n + self.persons) // self.n
        return np.bincount(codes, minlength=values)

    @property
    def called(self) -> str:
        """The name of its file, with the ending; without a file the name of its source."""
        path = getattr(getattr(self.source, "content", None), "path", None)
        return self.name if path is None else Path(path).name

    @property
    def n(self) -> int:
        """The number of people."""
        return len(self.codes) if self.persons is None else int(self.persons.max()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class FinerValues:
    """The values of people before they are made coarser.

    Attributes:
        codes: n x d, indices into `values`.
        values: the texts of each column.
    """

    codes: Codes
    values: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The participants of a session, in the order of their numbers, with their true values.

    Attributes:
        name: the name of the source.
        schema: the features, as they are asked about.
        codes: int32, n x d, indices into `values`.
        values: the texts of each column, also of an open domain, with None as `schema` values.
        note: where the people come from, and the licence.
        warnings: changes and oddities of the data, for the user of the scenario.
        origin: the number (from 0) of each person's row in the source; None: all rows, in its
            order.
        judged: the roles of the source's columns, of left out columns too.
        finer: people's values before features make them coarser; None: the same as `codes`.
        source: the source of their rows, as it was read; None: the people are generated.
        drawn_from: codes of all people of the source; None: all of them take part.
        several: the rows of each person, if persons have several; None: row i is person i's.
    """

    name: str
    schema: Schema
    codes: Codes
    values: tuple[tuple[str, ...], ...]
    note: str
    warnings: tuple[str, ...] = ()
    origin: Codes | None = None
    judged: tuple[JudgedColumn, ...] = ()
    finer: "FinerValues | None" = None
    source: Source | None = None
    drawn_from: Codes | None = None
    several: PersonRows | None = None

    @property
    def n(self) -> int:
        """The number of participants."""
        return int(self.codes.shape[0]) if self.several is None else self.several.n

    @property
    def source_codes(self) -> Codes:
        """The codes of all people of the source, N x d: the population of the sample."""
        return self.codes if self.drawn_from is None else self.drawn_from

    @property
    def answered(self) -> bool:
        """Whether the people answered on their own phones, so that only their answers are known."""
        return self.name == PHONES

    def row(self, i: int) -> tuple[str, ...]:
        """Return the values of row i, in column order: person i's, if each has one row."""
        return tuple(
            texts[code] for texts, code in zip(self.values, self.codes[i].tolist(), strict=True)
        )

    def exact_values(self, i: int) -> tuple[Any, ...]:
        """Return the values of person i, before the public rules make them coarser.

        If persons have several rows: the rows of person i.
        """
        if self.several is not None:
            return tuple(map(self._exact_row, self.several.rows(i)))
        return self._exact_row(i)

    def _exact_row(self, i: int) -> tuple[str, ...]:
        """Return the values of a row, before the public rules make them coarser."""
        if self.finer is None:
            return self.row(i)
        values = zip(self.finer.values, self.finer.codes[i].tolist(), strict=True)
        return tuple(texts[code] for texts, code in values)

    def take(self, rows: NDArray[np.intp]) -> "Population":
        """Return the people with these indices, in this order."""
        if self.several is not None:
            several, places = self.several.take(rows), self.several.places(rows)
            return replace(replace(self, several=None).take(places), origin=None, several=several)
        finer = self.finer
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[rows]),
            origin=rows.astype(np.int32) if self.origin is None else self.origin[rows],
            finer=finer and FinerValues(np.ascontiguousarray(finer.codes[rows]), finer.values),
            drawn_from=self.source_codes,
        )

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> "Population":
        """Draw n people without replacement; they keep their order. DataError if n is more."""
        if not 1 <= n <= self.n:
            raise DataError(f"{self.name}: {n:,} people asked for; it has {self.n:,} to draw from")
        return self.take(np.sort(np.random.default_rng(rng).choice(self.n, size=n, replace=False)))


def ask(
    table: SourceTable, features: Sequence[FeatureSection], missing: str = "", base: Path = Path()
) -> Population:
    """Return a population of a table, with the features as columns, in order; empty: all columns.

    missing: the value of an empty cell. base: the folder that a hierarchy's path starts from.
    Raises DataError where the data do not fit a feature, or a feature is not in the table.
    """
    features = features or [FeatureSection(name=name) for name in table.columns]
    places, columns, codes, values, odd = [], [], [], [], list(table.warnings)
    for feature in features:
        if feature.name not in table.columns:
            raise DataError(
                f"{table.called}: no column is called {feature.name!r}; it has "
                f"{', '.join(table.columns)}"
            )
        places.append(table.columns.index(feature.name))
        coarse_column = say(table, feature, missing, base)
        wrong = misfit(feature, coarse_column.texts)
        if wrong:
            raise DataError(f"{table.called}: feature {feature.name!r}: {wrong[1]}")
        column = domain(feature, coarse_column.texts, coarse_column.rules)
        texts = coarse_column.texts if column.values is None else column.values
        columns.append(column)
        values.append(texts)
        codes.append(recode(coarse_column.codes, coarse_column.texts, texts))
        if len(texts) == 1:
            odd.append(f"column {feature.name!r} has one value only ({texts[0]!r})")
    finer = None
    if any(column.rules for column in columns):
        held_codes = np.ascontiguousarray(table.codes[:, places])
        finer = FinerValues(held_codes, tuple(table.values[j] for j in places))
    return Population(
        name=table.name,
        schema=Schema(tuple(columns)),
        codes=np.ascontiguousarray(np.stack(codes, axis=1)),
        values=tuple(values),
        note=table.note,
        warnings=tuple(odd),
        origin=table.origin,
        judged=table.judged,
        finer=finer,
        source=table.source,
    )


@dataclass(frozen=True, slots=True, eq=False)
class StatedColumn:
    """A column of coarser values, as people answer them.

    Attributes:
        codes: a code for each person.
        texts: the texts of the codes.
        rules: the rules, in the order of application.
    """

    codes: Codes
    texts: tuple[str, ...]
    rules: tuple[Rule, ...]


def say(
    table: SourceTable, feature: FeatureSection, missing: str, base: Path = Path()
) -> StatedColumn:
    """Return a feature's column of a table, made coarser as the feature says. Raises DataError.

    missing: the value of an empty cell. base: the folder that a hierarchy's path starts from.
    """
    j = table.columns.index(feature.name)
    codes, texts = table.codes[:, j], table.values[j]
    if not is_coarser(feature):
        return StatedColumn(codes, texts, ())
    people = table.people_by(codes, len(texts)).tolist()
    rules = rules_of(feature, texts, people, missing, base)
    coarse = [coarsened(rules, text) for text in texts]
    order = order_of(rules, coarse)
    for text in order:
        if (moved := coarsened(rules, text)) != text:
            raise DataError(
                f"feature {feature.name!r}: {text!r} is in its domain, but its rules make it "
                f"{moved!r}; give the group another label"
            )
    return StatedColumn(recode(codes, coarse, order), order, rules)


def coarse(
    table: SourceTable, features: Sequence[FeatureSection], missing: str = "", base: Path = Path()
) -> SourceTable:
    """Return a table with coarser values; columns without a feature stay unchanged.

    Raises DataError.
    """
    codes, values = table.codes.copy(), list(table.values)
    for feature in features:
        j = table.columns.index(feature.name)
        coarse_column = say(table, feature, missing, base)
        codes[:, j], values[j] = coarse_column.codes, coarse_column.texts
    return replace(table, codes=codes, values=tuple(values))


def domain(
    feature: FeatureSection, occurring: tuple[str, ...], rules: tuple[Rule, ...] = ()
) -> Feature:
    """Return the domain of a feature: its own, or the values that occur, in their order."""
    if feature.open:
        return Feature(feature.name, None, feature.width or WIDTH, rules)
    values = occurring if feature.values is None else feature.values
    return Feature(feature.name, values, rules=rules)


def misfit(feature: FeatureSection, occurring: Sequence[str]) -> tuple[str, str] | None:
    """Return the key of a feature that the data contradict, with the error, or None."""
    most_bytes = feature.width or WIDTH if feature.open else MAX_WIDTH
    longest = max(occurring, key=lambda text: len(text.encode()))
    if len(longest.encode()) > most_bytes:
        shortened_value = longest if len(longest) <= 40 else longest[:37] + "..."
        remedy = "raise width" if feature.open and most_bytes < MAX_WIDTH else "shorten it"
        return "width", (
            f"the value {shortened_value!r} takes {len(longest.encode()):,} bytes of UTF-8, more "
            f"than the {most_bytes:,} that padding allows; {remedy}"
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


def recode(codes: Codes, old: Sequence[str], new: tuple[str, ...]) -> Codes:
    """Return codes for the texts `old` as codes for the texts `new`, which hold all of them."""
    if old == new:
        return codes
    place = {text: code for code, text in enumerate(new)}
    return np.array([place[text] for text in old], dtype=np.int32)[codes]
