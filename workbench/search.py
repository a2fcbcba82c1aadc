"""The search by the choices of a user, in two lengths: a first look, and the whole search."""

from pathlib import Path

from ..errors import DataError
from ..scenarios.populations.people import SourceTable
from ..scenarios.tables.advise import TableSearch, find
from ..scenarios.tables.roles_known import Roles, known_by_default
from ..scenarios.tables.sensitive_targets import Targets
from .choices import UserChoices
from .table import MISSING, Progress

FEW = 5  # searched columns up to which there is no first look
FIRST_LOOK = 150  # steps of it


def roles_of(choices: UserChoices) -> Roles:
    """Return the roles of columns in the search. Raises DataError."""
    names = dict.fromkeys((*choices.l, *choices.entropy_l, *choices.t))
    for column in choices.nominal:
        if column not in choices.t:
            raise DataError(f"--nominal {column}: it has no target t; --t {column}=0.2 gives one")
    targets = {
        name: Targets(
            choices.l.get(name),
            choices.entropy_l.get(name),
            choices.t.get(name),
            nominal=name in choices.nominal,
        )
        for name in names
    }
    known = choices.known or known_by_default(choices.reading())
    return Roles(known, choices.keep, targets, choices.suppress, choices.suppress_cells)


def search_table(
    table: SourceTable,
    choices: UserChoices,
    hierarchies: dict[str, Path],
    steps: int | None,
    progress: Progress,
) -> TableSearch:
    """Search for the coarser values with the least loss. Raises DataError, see `advise`.

    hierarchies: files by column. steps: of the search at most; None: the default.
    """
    return find(
        table,
        choices.k,
        choices.max_exposure,
        missing=MISSING,
        hierarchies=hierarchies,
        weights=dict(choices.importance),
        predict=choices.predict,
        by=choices.by,
        steps=steps,
        roles=roles_of(choices),
        progress=progress,
    )


def first_look(choices: UserChoices, table: SourceTable) -> bool:
    """Whether a first look is worth its time: the whole search may take longer than a second."""
    return choices.steps is None and len(table.columns) > FEW
