"""Two counts of the people that miss the target of a choice of coarser values.

The target is k, and targets of sensitive columns. `Truth` counts in the table itself;
`MarginalPromise` bounds the people below k by the counts of single columns, which a
curator knows without the table.
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
    """Return the codes of each searched column, as coarse as its level, for each row.

    levels: the generalization level of each column.
    """
    return [
        column.ladder.levels[level].codes[table.codes[:, j]]
        for j, (column, level) in enumerate(zip(columns, levels, strict=True))
    ]


class Truth:
    """A count of the people in equivalence classes that miss k, or a target of a sensitive column.

    An object is called with the generalization level of each searched column (a column that
    may become coarser).
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
        """Prepare the known columns that stay unchanged, and the targets of sensitive columns.

        Attackers may know these unchanged columns; a target is l, entropy-l or t. table: all
        columns. searched: the columns that may become coarser. columns: these columns with
        their levels. k: people in the smallest safe class. roles: unchanged columns, targets, and
        whether rows may be suppressed. missing: the value of an empty cell.
        """
        self.table, self.searched, self.columns, self.k = table, searched, columns, k
        self.missing, self.unchanged_columns = missing, fixed_columns(table, roles)
        self.fixed = (
            cells_of(table.codes, self.unchanged_columns) if self.unchanged_columns else None
        )
        self.may_suppress = roles.suppress is not None
        self.targets = MissedTargets(table, roles.targets, k, missing)

    def __call__(self, levels: Sequence[int]) -> int:
        """Return the number of people that miss k, or a target of a sensitive column.

        levels: the generalization level of each searched column.
        """
        codes = self._codes(levels)
        if self.targets.targets:
            return self.targets.people(cells_of(codes, range(codes.shape[1])))
        return _people(codes, self.table, self.k)

    def classes(self, levels: Sequence[int]) -> NDArray[np.int64]:
        """Return the equivalence class of each row, numbered from 0.

        levels: the generalization level of each searched column.
        """
        codes = self._codes(levels)
        return cells_of(codes, range(codes.shape[1]))

    def missed_with(self, levels: Sequence[int], mask: NDArray[np.bool_]) -> int:
        """Return the number of people that miss the target, once cells are suppressed.

        levels: the generalization level of each searched column. mask: whether each cell of
        these columns is suppressed.
        """
        codes = self._codes(levels) + 1
        codes[:, : mask.shape[1]][mask] = 0
        return self.targets.people(cells_of(codes, range(codes.shape[1])))

    def below(self, levels: Sequence[int]) -> int:
        """Return the number of people in equivalence classes smaller than k.

        levels: the generalization level of each searched column. Targets of sensitive columns
        are not considered.
        """
        return _people(self._codes(levels), self.table, self.k)

    def kept_rows(self, levels: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return a mask of the rows in equivalence classes that reach k and all targets.

        levels: the generalization level of each searched column. None if no row may be
        suppressed.
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
        """Return the people below k for attackers with two kinds of knowledge.

        The first attackers know the quasi-identifiers, the second all released columns. levels:
        the generalization level of each searched column. rest: columns that are released
        unchanged. mask: whether each cell of the searched columns is suppressed; None: no cell.
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
        """Return the codes of the values that attackers may know, shape (rows, columns).

        levels: the generalization level of each column that may become coarser.
        """
        level_codes = coarse_codes(self.searched, self.columns, levels)
        return np.stack([*level_codes, *self.table.codes[:, self.unchanged_columns].T], axis=1)


def exposed_people(table: SourceTable, k: int) -> tuple[int, int]:
    """Return the people below k for attackers with two kinds of knowledge.

    The first attackers know the quasi-identifiers (without any, all columns), the second
    all columns.
    """
    quasi = {judged.column for judged in table.judged if judged.role is ColumnRole.QUASI}
    quasi_columns = [j for j, name in enumerate(table.columns) if name in quasi]
    return _people(
        table.codes[:, quasi_columns] if quasi_columns else table.codes, table, k
    ), _people(table.codes, table, k)


def _people(codes: Codes, table: SourceTable, k: int) -> int:
    """Return the number of people in equivalence classes smaller than k.

    A class agrees in all columns of `codes`, shape (rows, columns).
    """
    if table.persons is not None:
        return Persons.from_table(codes, table.persons).below(range(codes.shape[1]), k)
    return int(users_below(joint_counts(codes, range(codes.shape[1])), k))


class MarginalPromise:
    """An upper bound on the people below k for a choice of levels, by counts of columns alone.

    A curator can prove it without the table. An object is called with the generalization
    level of each searched column (a column that may become coarser).
    """

    def __init__(
        self,
        table: SourceTable,
        columns: Sequence[LadderColumn],
        k: int,
        whole: SourceTable,
        unchanged_columns: Sequence[int],
    ) -> None:
        """Count the values of the unchanged columns; the searched columns are counted on request.

        table: the searched columns. columns: these columns with their levels. k: people in the
        smallest safe class. whole: the table with all columns. unchanged_columns: positions in
        `whole` of the known columns that stay unchanged.
        """
        self.table, self.columns, self.k = table, columns, k
        self.level_counts: dict[tuple[int, int], np.ndarray] = {}
        self.unchanged_counts = [
            whole.people_by(whole.codes[:, j], len(whole.values[j])) for j in unchanged_columns
        ]

    def __call__(self, levels: Sequence[int]) -> int:
        """Return the upper bound on the people below k that the columns' counts prove.

        levels: the generalization level of each searched column.
        """
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
        """Return the number of people with each value of column j at a level; cached.

        level: the generalization level, 0 for the finest. Values without people are left out.
        """
        if (j, level) not in self.level_counts:
            codes = self.columns[j].ladder.levels[level].codes[self.table.codes[:, j]]
            counts = self.table.people_by(codes, 0)
            self.level_counts[j, level] = counts[counts > 0]
        return self.level_counts[j, level]
