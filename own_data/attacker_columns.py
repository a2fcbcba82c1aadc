"""Columns of a table by their treatment: known to attackers, released unchanged, or searched.

Searched columns are the columns that advice may make coarser or drop.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..errors import DataError
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.schema.problems import did_you_mean, listed
from .read_table import Reading, known_is_all
from .sensitive_targets import Targets


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of columns in advice: known to attackers, released unchanged, or with a target.

    Attributes:
        knowledge: `quasi`, attackers may know the quasi-identifiers; `all`, all columns.
        keep: columns that are released as they are.
        targets: targets (l, entropy-l, t) of sensitive columns, by column.
        suppress: the largest share of people with suppressed rows, in equivalence classes
            that miss k or a target; None: no row is suppressed, and `max_exposure` limits
            these people.
        suppress_cells: the largest share of suppressed cells of columns that are not
            dropped; None: no cell is suppressed. With `suppress` too, the result that loses
            less information is advised.
    """

    knowledge: str = "all"
    keep: tuple[str, ...] = ()
    targets: Mapping[str, Targets] = field(default_factory=dict)
    suppress: float | None = None
    suppress_cells: float | None = None

    def limit(self, max_exposure: float) -> float:
        """Return the largest accepted share of people in classes that miss a target, 0 to 1.

        If rows may be suppressed, it is `suppress`, the largest share of people with suppressed
        rows. If only cells may be suppressed, it is 0, because no class then misses a target.
        Else it is `max_exposure`.
        """
        if self.suppress is None:
            return max_exposure if self.suppress_cells is None else 0.0
        return self.suppress


DEFAULT_ROLES = Roles()


def known_by_default(reading: Reading) -> str:
    """Return the columns that attackers know by default: `quasi` or `all`.

    `quasi` (the quasi-identifiers) if the user gave a column a role, else `all` columns.
    """
    return "all" if known_is_all(reading) else "quasi"


def divided(table: SourceTable, roles: Roles) -> tuple[SourceTable, SourceTable | None]:
    """Return the columns that may become coarser, and the columns released unchanged, if any.

    DataError for roles that contradict the table.
    """
    _check(table, roles)
    searched = [name for name in _may_be_known(table, roles) if name not in roles.keep]
    if not searched:
        raise DataError(
            f"{table.called}: no column is left to make coarser; at least one quasi-identifier "
            "that is not kept is needed"
        )
    rest = [name for name in table.columns if name not in searched]
    return select_columns(table, searched), select_columns(table, rest) if rest else None


def fixed_columns(table: SourceTable, roles: Roles) -> list[int]:
    """Return the positions, from 0, of the unchanged released columns that attackers may know."""
    return [table.columns.index(name) for name in _may_be_known(table, roles) if name in roles.keep]


def _may_be_known(table: SourceTable, roles: Roles) -> list[str]:
    """Return the columns that attackers may know, without columns that have a target (l, t)."""
    role = {judged.column: judged.role for judged in table.judged}
    return [
        name
        for name in table.columns
        if name not in roles.targets
        and (roles.knowledge == "all" or role.get(name, ColumnRole.QUASI) is ColumnRole.QUASI)
    ]


def select_columns(table: SourceTable, names: list[str]) -> SourceTable:
    """Return a table with the named columns alone, in the order of the names."""
    places = [table.columns.index(name) for name in names]
    values = tuple(table.values[place] for place in places)
    return replace(table, columns=tuple(names), codes=table.codes[:, places], values=values)


def _check(table: SourceTable, roles: Roles) -> None:
    """Raise DataError for roles that are out of range or name a column that the table lacks."""
    if roles.knowledge not in ("quasi", "all"):
        raise DataError(f"known: found {roles.knowledge!r}; quasi and all are accepted")
    if roles.suppress_cells is not None and not 0 <= roles.suppress_cells <= 1:
        raise DataError(
            f"suppress_cells: found {roles.suppress_cells}; a share, 0 to 1, is accepted"
        )
    if roles.suppress is not None:
        if not 0 <= roles.suppress <= 1:
            raise DataError(f"suppress: found {roles.suppress}; a share, 0 to 1, is accepted")
        if any(target.t is not None for target in roles.targets.values()):
            raise DataError(
                "suppress: not accepted beside a target t, because suppressed rows change the "
                "distribution of all people, with which t compares each class; l and entropy-l "
                "are accepted, or suppress_cells"
            )
    left_out = {judged.column: judged for judged in table.judged}
    for name in (*roles.keep, *roles.targets):
        if name not in table.columns and name in left_out:
            judged = left_out[name]
            raise DataError(
                f"{name!r} is left out as a {judged.label} ({judged.reason}); if it is to be "
                f"released, say --other {name} too"
            )
        if name not in table.columns:
            raise DataError(
                f"no column is called {name!r}; accepted: {listed(table.columns)}"
                f"{did_you_mean(name, table.columns)}"
            )
