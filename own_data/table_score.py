"""Scores of a table that was read: `analysis` gets its codes, roles and numbers."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..analysis.exposure import Crowds, joint_counts
from ..analysis.exposure.equal_people import SharedValues
from ..analysis.exposure.persons import Persons
from ..analysis.release_risks import Diversity, TableColumns
from ..analysis.release_risks.unchanged_table import sensitive_diversity
from ..analysis.scoring import TableScore, score_table
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.values import UNKNOWN, numbers_of
from .read_table import missing_codes
from .score_record import SensitiveColumn


def score_read(
    table: SourceTable,
    lacking: Sequence[str],
    k: int,
    max_exposure: float,
    *,
    missing: str = "category",
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> TableScore:
    """Return the score of a table that was read.

    Args:
        table: the table, with the roles of its columns.
        lacking: texts that mean missing.
        k: people in the smallest safe class.
        max_exposure: the share of people that may be in smaller classes, 0 to 1.
        missing: `category` or `wildcard`: a missing cell is a value of its own, or any value.
        factor: people in the population for each person of the table.
        worst_case_nodes: most nodes of each search tree for the worst table with these column
            counts; None: no search.
        progress: is called with the name of each stage.
    """
    codes, absent = missing_codes(table, lacking)
    return score_table(
        codes,
        table.columns,
        k,
        max_exposure,
        missing=missing,
        missing_codes=absent,
        factor=factor,
        worst_case_nodes=worst_case_nodes,
        column_roles=_column_roles(table, lacking),
        persons=table.persons,
        weights=table.weights,
        progress=progress,
    )


def _column_roles(table: SourceTable, lacking: Sequence[str]) -> TableColumns:
    """Return the columns with a role in the score, and the numbers that their values state.

    The roles are quasi-identifier and sensitive. lacking: texts that mean missing.
    """
    roles = {judged.column: str(judged.role) for judged in table.judged}
    is_ = [roles.get(name, "quasi") for name in table.columns]
    return TableColumns(
        [_numbers(values, {"", *lacking}) for values in table.values],
        [j for j, role in enumerate(is_) if role == "quasi"],
        [j for j, role in enumerate(is_) if role == "sensitive"],
    )


def target_figures(
    table: SourceTable, lacking: Sequence[str], knowledge: str
) -> tuple[Crowds, tuple[SensitiveColumn, ...]]:
    """Return only the figures of a score that a target limits: classes, and k, l and t.

    Args:
        table: the people's table.
        lacking: texts that mean missing.
        knowledge: the columns that an attacker knows. `quasi`: the quasi-identifiers, or
            all columns if there are no quasi-identifiers; `all`: all columns.

    Returns:
        The equivalence classes of the known columns together; k, l and t of each sensitive
            column.
    """
    codes, _ = missing_codes(table, lacking)
    roles, persons = _column_roles(table, lacking), _persons(codes, table)
    quasi = list(roles.quasi or ()) if knowledge == "quasi" else []
    columns = quasi or list(range(len(table.columns)))
    crowds = (
        Crowds.from_cells(joint_counts(codes, columns))
        if persons is None
        else persons.crowds(columns)
    )
    diversities = sensitive_diversity(codes, roles, persons)
    return crowds, sensitive_records(table.columns, diversities)


def sensitive_records(
    columns: Sequence[str], diversities: Iterable[Diversity]
) -> tuple[SensitiveColumn, ...]:
    """Return k, l and t of sensitive columns as records.

    columns: the names of all columns. diversities: k, l and t, with the position of the column in
    `columns`.
    """
    return tuple(
        SensitiveColumn(
            columns[diversity.column],
            diversity.k,
            diversity.l,
            diversity.entropy_l,
            diversity.t,
            diversity.largest_share,
            diversity.certain,
        )
        for diversity in diversities
    )


def unanimous(table: SourceTable) -> SharedValues:
    """Return the columns in which all people have the same value."""
    first = [texts[code] for texts, code in zip(table.values, table.codes[0], strict=True)]
    shared_mask = (table.codes == table.codes[0]).all(axis=0)
    places = tuple((place, first[place]) for place in range(len(first)) if shared_mask[place])
    return SharedValues(len(table.codes), len(first), places, 0, None)


def _persons(codes: NDArray[np.integer], table: SourceTable) -> Persons | None:
    """Return the person of each row; None if each person has one row.

    codes: the codes of the rows, shape (rows, columns).
    """
    persons = None if table.persons is None else Persons.from_table(codes, table.persons)
    return persons if persons is not None and persons.repeated else None


def frequent(table: SourceTable, k: int) -> dict[str, frozenset[str]]:
    """Return, by column, the values that at least k people have."""
    return {
        name: frozenset(np.array(values, object)[table.people_by(codes, len(values)) >= k])
        for name, values, codes in zip(table.columns, table.values, table.codes.T, strict=True)
    }


def _numbers(texts: Sequence[str], unknown_texts: set[str]) -> NDArray[np.float64] | None:
    """Return the number that each text states, nan if missing; None if a text is not a number."""
    unknown_texts = unknown_texts | {text for text in texts if text.casefold() in UNKNOWN}
    numbers = numbers_of([text for text in texts if text not in unknown_texts])
    if numbers is None:
        return None
    next_numbers = iter(numbers)
    return np.array([np.nan if text in unknown_texts else next(next_numbers) for text in texts])
