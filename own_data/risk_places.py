r"""The places of risk in a table: by value, by combination of values, and the best single changes.

A single change makes a column coarser, drops it, merges two values, or leaves rows out.

>>> from pathlib import Path
>>> from veilmix.own_data.read_table import Reading, read
>>> from veilmix.own_data.risk_places import risk_places
>>> _ = Path("people.csv").write_text("ward,sex\na,f\na,f\na,f\nb,f\nb,m\n")
>>> places = risk_places(read(Path("people.csv"), Reading()), k=2)
>>> places.below_k, [(value.value, value.below_k) for value in places.values[:2]]
(2, [('b', 2), ('m', 1)])
>>> places.steps[0].what, places.steps[0].taken_out
('2 rows in crowds smaller than k', 2)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..analysis.advice.next_steps import Coarser, NextStep, StepKind, next_steps
from ..analysis.exposure.minimal_uniques import MinimalUniques, minimal_uniques, set_size
from ..analysis.exposure.other_columns import DistinctRows
from ..analysis.exposure.value_risk import CANDIDATES, PARTNERS, ValueRisks, value_risks
from ..number_text import plural
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.populations.values import MAX_CATEGORIES, numbers_of
from .advise import Advised
from .coarsening_ladders import column as ladder_column
from .read_table import missing_codes
from .risk_record import ColumnShare, HighScore, RiskPlaces, RiskyValue, SingleChange, UniqueSets

LISTED = 1000  # largest number of risky values in a record; further values are only counted
ROWS = 20  # largest number of rows with high SUDA scores in a record
# most different values of a column whose coarser levels are counted; a note names the others
LONG = 5000


@dataclass(frozen=True, slots=True)
class CoarserLevel:
    """A coarser level of a column, to count the people that it takes out of small classes.

    Attributes:
        column: name of the column.
        name: name of the level.
        codes: the coarser code of each of the column's values.
    """

    column: str
    name: str
    codes: NDArray[np.int64]


def risk_places(
    table: SourceTable,
    lacking: Sequence[str] = (),
    k: int = 5,
    *,
    factor: float = 1.0,
    size: int | None = None,
    coarser: Sequence[CoarserLevel] | None = None,
    attacker_columns: Sequence[int] | None = None,
) -> RiskPlaces:
    """Return where the risk of a table lies: values, combinations of values, and single changes.

    People below k are counted by value, with minimal sample uniques (combinations of values
    that only one person has), and after each single change of the table: coarser, merged,
    dropped or left out.

    Args:
        table: the people's table.
        lacking: texts that mean missing, besides an empty text.
        k: people in the smallest safe equivalence class, at least 1.
        factor: people in the population for each person in the table, at least 1.
        size: columns of the largest combination; None: 3, or fewer in a large table
            (`set_size`).
        coarser: the coarser levels to count; None: the first levels of each column's
            ladder.
        attacker_columns: the numbers of the columns that an attacker knows; None: the
            quasi-identifiers; without quasi-identifiers, all columns.
    """
    codes, empty = missing_codes(table, lacking)
    attacker_columns = known_columns(table) if attacker_columns is None else list(attacker_columns)
    levels, limits = (
        _ladders(table, codes, attacker_columns, k) if coarser is None else (coarser, [])
    )
    names = [table.columns[j] for j in attacker_columns]
    rows = DistinctRows.from_table(codes, attacker_columns, table.persons)
    ranks = [_ranks(table.values[j], {"", *lacking}) for j in attacker_columns]
    risks = value_risks(rows, k, ranks=ranks, max_values=LISTED)
    placed = [Coarser(names.index(lv.column), lv.name, lv.codes) for lv in levels]
    steps = next_steps(rows, k, placed, risks.merges)
    largest = set_size(codes[:, attacker_columns]) if size is None else size
    uniques = None
    if largest:
        uniques = minimal_uniques(codes, largest, columns=attacker_columns, persons=table.persons)
    words = _Words(table, attacker_columns)
    return RiskPlaces(
        *(tuple(names), k, risks.n, risks.below),
        *_empty(rows, [empty[j] for j in attacker_columns], k),
        *(words.values(risks, uniques), risks.left_out),
        None if uniques is None else words.uniques(uniques, table, factor),
        tuple(words.step(step) for step in steps),
        (*limits, *_merge_limits(risks, ranks, names, table), *_limits(uniques)),
    )


def advised_places(advised: Advised) -> RiskPlaces:
    """Return where the risk of an advised table lies, by value, combination and single change.

    The changes that are counted include the next coarser level of each column, unless that
    level drops the column.
    """
    table = _advised_table(advised)
    levels = []
    for j, (column, level) in enumerate(zip(advised.columns, advised.best.levels, strict=True)):
        rungs, name = column.ladder.levels, column.ladder.column
        # The last level drops the column, so a column just before that level has no coarser level
        # to count.
        if level + 2 >= len(rungs):
            continue
        place = table.columns.index(name)
        finer = table.codes[:, place]
        coarser_of_rows = rungs[level + 1].codes[advised.table.codes[_row_numbers(advised), j]]
        codes = np.zeros(len(table.values[place]), np.int64)
        codes[finer] = coarser_of_rows
        if np.array_equal(codes[finer], coarser_of_rows):
            levels.append(CoarserLevel(name, rungs[level + 1].name, codes))
    attacker_columns = (
        known_columns(table) if advised.knowledge == "quasi" else range(len(table.columns))
    )
    attacker_columns = [j for j in attacker_columns if table.columns[j] not in advised.targets]
    return risk_places(
        table, (advised.missing,), advised.k, coarser=levels, attacker_columns=attacker_columns
    )


def _row_numbers(advised: Advised) -> NDArray[np.intp]:
    """Return the indices, from 0, of the table's rows that the advice releases."""
    row_mask = advised.row_mask
    return np.arange(len(advised.table.codes)) if row_mask is None else np.flatnonzero(row_mask)


def _advised_table(advised: Advised) -> SourceTable:
    """Return the table as the advised choice of levels releases it, with codes.

    Each row keeps its person and its row number in the file.
    """
    table, rows, columns = advised.table, _row_numbers(advised), advised.coarse()
    distinct_texts = [dict.fromkeys(texts) for texts in columns.values()]
    places = [{text: code for code, text in enumerate(texts)} for texts in distinct_texts]
    codes = np.empty((len(rows), len(columns)), np.int32, order="F")
    for j, texts in enumerate(columns.values()):
        codes[:, j] = [places[j][text] for text in texts]
    persons = None
    if table.persons is not None:
        persons = np.unique(table.persons[rows], return_inverse=True)[1].astype(np.int32)
    return replace(
        table,
        columns=tuple(columns),
        codes=codes,
        values=tuple(map(tuple, distinct_texts)),
        origin=rows.astype(np.int32) if table.origin is None else table.origin[rows],
        persons=persons,
    )


def known_columns(table: SourceTable) -> list[int]:
    """Return the positions of the quasi-identifiers; without quasi-identifiers, of all columns."""
    role = {judged.column: judged.role for judged in table.judged}
    quasi = [
        j
        for j, name in enumerate(table.columns)
        if role.get(name, ColumnRole.QUASI) is ColumnRole.QUASI
    ]
    return quasi or list(range(len(table.columns)))


def _ranks(texts: Sequence[str], lacking: set[str]) -> NDArray[np.int64] | None:
    """Return, for each text of a numeric column, the rank of its number from 0; missing: -1.

    None for a column of categories, or of at most `MAX_CATEGORIES` different numbers. texts:
    the different texts of the column. lacking: texts that mean missing.
    """
    numbers = numbers_of([text for text in texts if text not in lacking])
    if numbers is None or len(numbers) <= MAX_CATEGORIES:
        return None
    ranks = np.full(len(texts), -1, np.int64)
    is_number = np.array([text not in lacking for text in texts])
    ranks[is_number] = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    return ranks


def _ladders(
    table: SourceTable, codes: NDArray[np.integer], attacker_columns: Sequence[int], k: int
) -> tuple[list[CoarserLevel], list[str]]:
    """Return the coarser levels to count for each known column, and a note on columns left out.

    For a column these are the changes without loss (merged spellings) and the first coarser
    level. Columns with more than `LONG` different values are left out. codes: the table's
    codes, with one code for all missing values. attacker_columns: positions of the known
    columns. k: people in the smallest safe class.
    """
    unified = replace(table, codes=np.asfortranarray(codes, np.int32))
    levels, long = list[CoarserLevel](), list[str]()
    for j in attacker_columns:
        name = table.columns[j]
        if len(table.values[j]) > LONG:
            long.append(name)
            continue
        ladder = ladder_column(unified, j, k, "").ladder
        for level in ladder.levels[:2]:
            if 1 < len(np.unique(level.codes)) < len(table.values[j]):
                levels.append(CoarserLevel(name, level.name, level.codes))
    if not long:
        return levels, []
    return levels, [f"coarser values of columns with more than {LONG:,} values: {', '.join(long)}"]


def _empty(rows: DistinctRows, empty: Sequence[int | None], k: int) -> tuple[int, int]:
    """Return the people with an empty cell in a known column, and the number of them below k.

    rows: the different rows, each with its people. empty: the code of an empty cell, by column;
    None: no cell is empty. k: people in the smallest safe class.
    """
    lacks = np.zeros(len(rows.codes), bool)
    for j, code in enumerate(empty):
        if code is not None:
            lacks |= rows.codes[:, j] == code
    return rows.people_in(lacks), rows.people_in(lacks, below=k)


def _merge_limits(
    risks: ValueRisks,
    ranks: Sequence[NDArray[np.int64] | None],
    names: Sequence[str],
    table: SourceTable,
) -> list[str]:
    """Return notes about the merges of two values of a column that were not counted.

    ranks: by column, the rank of each number; None: categories. names: of the columns.
    """
    limits = []
    if numbers := [name for name, rank in zip(names, ranks, strict=True) if rank is not None]:
        limits.append(f"merges of numbers that are no neighbours: {', '.join(numbers)}")
    if risks.limited:
        columns_text = ", ".join(names[j] for j in risks.limited)
        limits.append(
            f"merges with values other than the {PARTNERS} most frequent ones of a column: "
            f"{columns_text}"
        )
    if table.persons is not None:
        limits.append(
            f"merges beyond the first {CANDIDATES} of a column, as persons have several rows"
        )
    return limits


def _limits(uniques: MinimalUniques | None) -> list[str]:
    """Return notes about the combinations of values that were not counted."""
    limits = []
    if uniques is None:
        limits.append("minimal uniques: the table is too large")
    elif not uniques.complete:
        limits.append(f"combinations of more than {plural(uniques.size, 'column')}")
    return limits


class _Words:
    """A translation of numbers of columns and codes of values to names and texts for records."""

    def __init__(self, table: SourceTable, attacker_columns: Sequence[int]) -> None:
        """Set the names and texts of the columns that an attacker knows.

        attacker_columns: positions of these columns in the table.
        """
        self.names = [table.columns[j] for j in attacker_columns]
        self.texts = [table.values[j] for j in attacker_columns]

    def values(self, risks: ValueRisks, uniques: MinimalUniques | None) -> tuple[RiskyValue, ...]:
        """Return the record of each risky value with its people, the largest excess first.

        The excess is the value's people below k, minus the number expected if they were below k
        as often as all people. risks: the counted values, with columns and values as numbers.
        uniques: the counted minimal uniques, for the value's share of scores; None: no count.
        """
        rows = (
            RiskyValue(
                column=self.names[value.column],
                value=self.texts[value.column][value.code],
                people=value.people,
                below_k=value.below,
                excess=value.excess,
                score_share=None
                if uniques is None
                else float(uniques.values[value.column][value.code]),
                merge_with=self._partner(value.column, value.code, merge.codes) if merge else None,
                taken_out=merge.freed if merge else 0,
            )
            for value in risks.values
            for merge in (value.merged,)
        )
        return tuple(sorted(rows, key=lambda row: (-row.excess, -(row.score_share or 0))))

    def uniques(
        self, minimal_sets: MinimalUniques, table: SourceTable, factor: float
    ) -> UniqueSets:
        """Return the record of minimal sample uniques, with the rows of the highest SUDA scores.

        A minimal sample unique is a smallest combination of values that only one person has. SUDA
        scores a person by its minimal sample uniques. minimal_sets: the counted uniques. factor:
        people in the population for each person of the table.
        """
        shares = zip(self.names, minimal_sets.columns.tolist(), strict=True)
        by_share = sorted(shares, key=lambda pair: -pair[1])
        order = np.argsort(-minimal_sets.scores, kind="stable")[:ROWS]
        rows = (
            HighScore(_source_row(table, int(person)), float(minimal_sets.scores[person]))
            for person in order
            if minimal_sets.scores[person] > 0
        )
        return UniqueSets(
            size=minimal_sets.size,
            complete=minimal_sets.complete,
            counts=minimal_sets.counts,
            people=minimal_sets.people,
            unique=minimal_sets.unique,
            in_pairs=minimal_sets.in_pairs,
            dis=minimal_sets.dis(1 / factor) if factor > 1 else None,
            columns=tuple(ColumnShare(name, share) for name, share in by_share),
            rows=tuple(rows),
        )

    def step(self, step: NextStep) -> SingleChange:
        """Return the record of a single change of the table, described in words."""
        description = step.level
        if step.codes is not None and step.column is not None:
            pair = (text_of(self.texts[step.column][code]) for code in step.codes)
            description = " with ".join(pair)
        if step.change is StepKind.LEFT_OUT:
            description = f"{plural(step.rows, 'row')} in crowds smaller than k"
        column = "" if step.column is None else self.names[step.column]
        effect = (step.below, step.freed, step.bits, step.rows)
        return SingleChange(str(step.change), column, description, *effect)

    def _partner(self, column: int, code: int, codes: tuple[int, int]) -> str:
        """Return the text of the value with which a value is merged.

        column: position of the column among the known columns. code: the code of the value.
        codes: the codes of the two merged values.
        """
        return self.texts[column][codes[1] if codes[0] == code else codes[0]]


def _source_row(table: SourceTable, person: int) -> int:
    """Return the number in the file of a person's first row, from 1."""
    row = person if table.persons is None else int(np.argmax(table.persons == person))
    return row + 1 if table.origin is None else int(table.origin[row]) + 1


def text_of(value: str) -> str:
    """Return a value in quotes; "(empty)" for an empty cell."""
    return f"'{value}'" if value else "(empty)"
