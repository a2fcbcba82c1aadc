"""People as integer codes: person i's value of column j is `values[j][codes[i, j]]`.

A `SourceTable` holds the content of a source. A `Population` is the part of it that a scenario
uses: the chosen columns, each with the domain (the list of possible values) for ballots.
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

# default maximum length of a value in an open domain (without a list), in bytes of UTF-8
WIDTH = 32
Codes = NDArray[np.int32]


class Source(Protocol):
    """The interface of a source of people, as read: later changes of a file have no effect."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the source's columns."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes that were read, in hexadecimal; "" for a table of veilmix."""
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
        """Return chosen columns as integer codes.

        chosen: (name in the scenario, name in the source) of each column. section: the scenario's
        table [population]. progress: receives the stage of reading, as text.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class SourceTable:
    """The rows of a source, as integer codes, with notes on their origin.

    Attributes:
        name: the name of the source.
        columns: the names of the columns.
        codes: indices into `values`, shape (rows, columns).
        values: the texts of each column.
        note: a description of the origin.
        warnings: warnings about values that may be misread.
        origin: the number (from 0) of each row in the source; None: all rows of the source, in its
            order.
        judged: the roles of the columns for an attacker, also of columns that are left out.
        source: the source of the rows, as it was read; None: the rows are generated.
        persons: the person of each row, from 0 without gaps, if a person has several rows; None:
            each row is another person.
        person: the definition of a person, in words.
        weights: sampling weights: the number of people of a population that each row represents;
            None: no column has weights.
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
        """Return the number of people with each value of a column, as at least `values` numbers.

        codes: the value code of each row. A person with several rows counts once for each value.
        """
        if self.persons is not None:
            codes = np.unique(codes.astype(np.int64) * self.n + self.persons) // self.n
        return np.bincount(codes, minlength=values)

    @property
    def called(self) -> str:
        """The name of the source's file with the ending; without a file, the source's name."""
        path = getattr(getattr(self.source, "content", None), "path", None)
        return self.name if path is None else Path(path).name

    @property
    def n(self) -> int:
        """The number of people, also if each has several rows."""
        return len(self.codes) if self.persons is None else int(self.persons.max()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class FinerValues:
    """The exact values of people, before generalization makes them coarser.

    Attributes:
        codes: indices into `values`, shape (rows, columns).
        values: the texts of each column.
    """

    codes: Codes
    values: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The participants of a session, in the order of their numbers, with their true values.

    Attributes:
        name: the name of the source.
        schema: the announced features.
        codes: indices into `values`, int32, shape (rows, columns).
        values: the texts of each column. An open domain has texts here, although `schema` has no
            list.
        note: a description of the people's origin, and the licence.
        warnings: changes of the data and unusual values, for the user of the scenario.
        origin: the number (from 0) of each person's row in the source; None: all rows, in the order
            of the source.
        judged: the roles of the source's columns for an attacker, also of columns that are left
            out.
        finer: the exact values, before features generalize them; None: the same as `codes`.
        source: the source of the rows, as it was read; None: the people are generated.
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
        """The number of participants, also if each has several rows."""
        return int(self.codes.shape[0]) if self.several is None else self.several.n

    @property
    def source_codes(self) -> Codes:
        """The codes of all people of the source, which a sample may be drawn from.

        Shape: rows, columns.
        """
        return self.codes if self.drawn_from is None else self.drawn_from

    @property
    def answered(self) -> bool:
        """Whether people answered on their own phones, so that only their answers are known."""
        return self.name == PHONES

    def row(self, i: int) -> tuple[str, ...]:
        """Return the values of row i, in the order of columns.

        If each person has a single row, it is the row of person i.
        """
        return tuple(
            texts[code] for texts, code in zip(self.values, self.codes[i].tolist(), strict=True)
        )

    def exact_values(self, i: int) -> tuple[Any, ...]:
        """Return the exact values of person i, before the public rules generalize them.

        If persons have several rows: a tuple of the rows of person i.
        """
        if self.several is not None:
            return tuple(map(self._exact_row, self.several.rows(i)))
        return self._exact_row(i)

    def _exact_row(self, i: int) -> tuple[str, ...]:
        """Return the exact values of row i, before the public rules generalize them."""
        if self.finer is None:
            return self.row(i)
        values = zip(self.finer.values, self.finer.codes[i].tolist(), strict=True)
        return tuple(texts[code] for texts, code in values)

    def select_people(self, rows: NDArray[np.intp]) -> "Population":
        """Return the people with some indices, in the order of the indices. rows: the indices."""
        if self.several is not None:
            several, places = self.several.select_persons(rows), self.several.places(rows)
            return replace(
                replace(self, several=None).select_people(places), origin=None, several=several
            )
        finer = self.finer
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[rows]),
            origin=rows.astype(np.int32) if self.origin is None else self.origin[rows],
            finer=finer and FinerValues(np.ascontiguousarray(finer.codes[rows]), finer.values),
            drawn_from=self.source_codes,
        )

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> "Population":
        """Draw n people without replacement, in their present order. DataError if n is too large.

        rng: a generator, or a seed.
        """
        if not 1 <= n <= self.n:
            raise DataError(f"{self.name}: {n:,} people asked for; it has {self.n:,} to draw from")
        return self.select_people(
            np.sort(np.random.default_rng(rng).choice(self.n, size=n, replace=False))
        )


def ask(
    table: SourceTable, features: Sequence[FeatureSection], missing: str = "", base: Path = Path()
) -> Population:
    """Return a population from a table: the features are its columns, in order.

    features: the requested features; empty: all columns. missing: the value of an empty cell. base:
    the folder of hierarchy files. Raises DataError for an unknown feature, or data that contradict
    a feature.
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
    """A column as people answer it: with generalized (coarser) values.

    Attributes:
        codes: the code of each row.
        texts: the text of each code.
        rules: the rules that generalize values, in the order of application.
    """

    codes: Codes
    texts: tuple[str, ...]
    rules: tuple[Rule, ...]


def say(
    table: SourceTable, feature: FeatureSection, missing: str, base: Path = Path()
) -> StatedColumn:
    """Return a feature's column of a table, generalized by the feature's rules. Raises DataError.

    missing: the value of an empty cell. base: the folder of hierarchy files.
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
                f"feature {feature.name!r}: its coarser value {text!r} is changed again by its "
                f"rules, to {moved!r}; choose another label for this value"
            )
    return StatedColumn(recode(codes, coarse, order), order, rules)


def coarse(
    table: SourceTable, features: Sequence[FeatureSection], missing: str = "", base: Path = Path()
) -> SourceTable:
    """Return a table with generalized (coarser) values; columns without a feature stay unchanged.

    missing: the value of an empty cell. base: the folder of hierarchy files. Raises DataError.
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
    """Return the announced form of a feature, with its domain (the list of possible values).

    Without a list in the feature, the domain is the values that occur; an open domain has no list.
    occurring: the values that occur, after generalization. rules: the rules that generalize them.
    """
    if feature.open:
        return Feature(feature.name, None, feature.width or WIDTH, rules)
    values = occurring if feature.values is None else feature.values
    return Feature(feature.name, values, rules=rules)


def misfit(feature: FeatureSection, occurring: Sequence[str]) -> tuple[str, str] | None:
    """Return the key of a feature that the data contradict, with the error text; else None.

    occurring: the values that occur, after generalization.
    """
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
    """Return the codes of a column after its list of texts was replaced by another list.

    old: the former texts. new: the new list, which contains all of them.
    """
    if old == new:
        return codes
    place = {text: code for code, text in enumerate(new)}
    return np.array([place[text] for text in old], dtype=np.int32)[codes]
