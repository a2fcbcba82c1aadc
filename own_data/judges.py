"""Two counts of the people that miss the target of a choice of coarser values.

`Truth` counts in the table itself; `MarginalPromise` bounds the number by the counts of single
columns, which a curator knows without the table.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..analysis.composition import best_bound
from ..analysis.composition.person_bound import PersonBounds
from ..analysis.exposure import joint_counts, users_below
from ..analysis.exposure.cells import cells_of
from ..analysis.exposure.persons import Persons
from ..scenarios.populations.people import Codes, SourceTable
from ..scenarios.populations.roles import ColumnRole
from .attacker_columns import Roles, fixed_columns
from .coarsening_ladders import LadderColumn
from .sensitive_targets import MissedTargets


def coarse_codes(
    table: SourceTable, columns: Sequence[LadderColumn], levels: Sequence[int]
) -> list[np.ndarray]:
    """Return the codes of each searched column at its level in a choice, for each row."""
    return [
        column.ladder.levels[level].codes[table.codes[:, j]]
        for j, (column, level) in enumerate(zip(columns, levels, strict=True))
    ]


class Truth:
    """A count of the people in equivalence classes that miss k, or a target of a sensitive column.

    It is called with the level of each searched column.
    """

    def __init__(
        self,
        table: SourceTable,
        searched: SourceTable,
        columns: Sequence[LadderColumn],
        k: int,
        roles: Roles,
        missing: str,
    ) -> None:
        """Prepare the unchanged columns and the targets.

        table: all columns. searched: the columns that may become coarser, with their ladders in
        `columns`.
        """
        self.table, self.searched, self.columns, self.k = table, searched, columns, k
        self.missing, self.unchanged_columns = missing, fixed_columns(table, roles)
        self.fixed = (
            cells_of(table.codes, self.unchanged_columns) if self.unchanged_columns else None
        )
        self.may_suppress = roles.suppress is not None
        self.targets = MissedTargets(table, roles.targets, k, missing)

    def __call__(self, levels: Sequence[int]) -> int:
        """Return the number of people that miss the target with these levels."""
        codes = self._codes(levels)
        if self.targets.targets:
            return self.targets.people(cells_of(codes, range(codes.shape[1])))
        return _people(codes, self.table, self.k)

    def classes(self, levels: Sequence[int]) -> NDArray[np.int64]:
        """Return the number of the equivalence class of each row with these levels, from 0."""
        codes = self._codes(levels)
        return cells_of(codes, range(codes.shape[1]))

    def missed_with(self, levels: Sequence[int], mask: NDArray[np.bool_]) -> int:
        """Return the number of people that miss the target, once cells are suppressed.

        mask: whether each cell of the searched columns is suppressed.
        """
        codes = self._codes(levels) + 1
        codes[:, : mask.shape[1]][mask] = 0
        return self.targets.people(cells_of(codes, range(codes.shape[1])))

    def below(self, levels: Sequence[int]) -> int:
        """Return the number of people in classes smaller than k with these levels.

        Targets of sensitive columns are not considered.
        """
        return _people(self._codes(levels), self.table, self.k)

    def kept_rows(self, levels: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return a mask of the rows in classes that reach the target.

        None if no row may be suppressed.
        """
        if not self.may_suppress:
            return None
        codes = self._codes(levels)
        classes = cells_of(codes, range(codes.shape[1]))
        return ~self.targets.missed(classes)[classes]

    def exposed(
        self,
        levels: Sequence[int],
        rest: SourceTable | None,
        mask: NDArray[np.bool_] | None = None,
    ) -> tuple[int, int]:
        """Return the people below k for two kinds of attackers.

        The first know the quasi-identifiers, the second all released columns. rest: columns that
        are released unchanged. mask: whether each cell of the searched columns is suppressed; None:
        no cell.
        """
        quasi = {judged.column for judged in self.table.judged if judged.role is ColumnRole.QUASI}
        coarse = coarse_codes(self.searched, self.columns, levels)
        if mask is not None:
            coarse = [
                np.where(is_suppressed, 0, c + 1)
                for is_suppressed, c in zip(mask.T, coarse, strict=True)
            ]
        codes_by_name = dict(zip(self.searched.columns, coarse, strict=True))
        if rest is not None:
            codes_by_name |= dict(zip(rest.columns, rest.codes.T, strict=True))
        known_codes = [codes for name, codes in codes_by_name.items() if name in quasi] or [
            *codes_by_name.values()
        ]
        known_part, all_part = (
            np.stack(parts, axis=1) for parts in (known_codes, [*codes_by_name.values()])
        )
        return _people(known_part, self.table, self.k), _people(all_part, self.table, self.k)

    def _codes(self, levels: Sequence[int]) -> Codes:
        """Return the codes of the values that attackers may know, shape (rows, columns)."""
        level_codes = coarse_codes(self.searched, self.columns, levels)
        return np.stack([*level_codes, *self.table.codes[:, self.unchanged_columns].T], axis=1)


def exposed_people(table: SourceTable, k: int) -> tuple[int, int]:
    """Return the people below k for two kinds of attackers.

    The first know the quasi-identifiers, the second all columns.
    """
    quasi = {judged.column for judged in table.judged if judged.role is ColumnRole.QUASI}
    quasi_columns = [j for j, name in enumerate(table.columns) if name in quasi]
    return _people(
        table.codes[:, quasi_columns] if quasi_columns else table.codes, table, k
    ), _people(table.codes, table, k)


def _people(codes: Codes, table: SourceTable, k: int) -> int:
    """Return the number of people in equivalence classes smaller than k, over all columns."""
    if table.persons is not None:
        return Persons.from_table(codes, table.persons).below(range(codes.shape[1]), k)
    return int(users_below(joint_counts(codes, range(codes.shape[1])), k))


class MarginalPromise:
    """An upper bound on the people below k for a choice of levels, by counts of columns alone.

    A curator can prove it without the table. It is called with the level of each searched column.
    """

    def __init__(
        self,
        table: SourceTable,
        columns: Sequence[LadderColumn],
        k: int,
        whole: SourceTable,
        unchanged_columns: Sequence[int],
    ) -> None:
        """Count the unchanged columns; counts of the searched columns follow on request."""
        self.table, self.columns, self.k = table, columns, k
        self.level_counts: dict[tuple[int, int], np.ndarray] = {}
        self.unchanged_counts = [
            whole.people_by(whole.codes[:, j], len(whole.values[j])) for j in unchanged_columns
        ]

    def __call__(self, levels: Sequence[int]) -> int:
        """Return the most people that may be below k with these levels, by the columns' counts."""
        marginals = [
            *(self._counts(j, level) for j, level in enumerate(levels)),
            *self.unchanged_counts,
        ]
        varying = [counts for counts in marginals if counts.size > 1]
        if not varying:  # no column distinguishes people: all are in one equivalence class
            n = self.table.n
            return 0 if n >= self.k else n
        if self.table.persons is not None:
            return PersonBounds(varying, self.k, self.table.n).max_exposed(range(len(varying)))
        return best_bound(varying, self.k).people

    def _counts(self, j: int, level: int) -> np.ndarray:
        """Return the number of people with each value of column j at a level; cached."""
        if (j, level) not in self.level_counts:
            codes = self.columns[j].ladder.levels[level].codes[self.table.codes[:, j]]
            counts = self.table.people_by(codes, 0)
            self.level_counts[j, level] = counts[counts > 0]
        return self.level_counts[j, level]
