"""The search for coarser values by the user's settings: a short search, then the whole search."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..own_data.advise import TableSearch, find
from ..own_data.attacker_columns import Roles, known_by_default
from ..own_data.earlier_advice import NO_SEARCH, read_advice, search_again
from ..own_data.sensitive_targets import Targets
from ..scenarios.populations.people import SourceTable
from .choices import ChoiceError, UserChoices
from .options import file_argument
from .table import MISSING, Progress

# largest number of searched columns for which the page starts the whole search at once; with more
# columns, a short search comes first, because the whole search may take long
SMALL_SEARCH = 5
FIRST_LOOK = 150  # number of steps of the short search


def roles_of(choices: UserChoices) -> Roles:
    """Return the roles and targets of columns in the search; DataError for impossible settings."""
    names = dict.fromkeys((*choices.l, *choices.entropy_l, *choices.t))
    for column in choices.nominal:
        if column not in choices.t:
            raise DataError(
                f"--nominal {column}: needs a t-closeness target, such as --t {column}=0.2"
            )
    targets = {
        name: Targets(
            choices.l.get(name),
            choices.entropy_l.get(name),
            choices.t.get(name),
            nominal=name in choices.nominal,
        )
        for name in names
    }
    knowledge = choices.known or known_by_default(choices.reading())
    return Roles(knowledge, choices.keep, targets, choices.suppress, choices.suppress_cells)


def search_table(
    table: SourceTable,
    choices: UserChoices,
    hierarchies: dict[str, Path],
    like: Path | None,
    steps: int | None,
    progress: Progress,
) -> TableSearch:
    """Search for the coarser values with the least loss of information that meet the target.

    Args:
        table: the table of the people.
        choices: the settings that the user chose.
        hierarchies: column -> its hierarchy file, which lists coarser values.
        like: the file of earlier advice, which is applied in place of a search; None: the file that
            the setting `like` names, if any.
        steps: the largest number of steps; None: the default.
        progress: reports a stage.

    Returns:
        The search, with all coarsenings (a level for each column) that it found.

    Raises:
        DataError: a table or a setting is not accepted, as by `veilmix advise`.
    """
    if choices.like is not None:
        return applied_again(table, choices, like or Path(file_argument(choices.like)), progress)
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


def applied_again(
    table: SourceTable, choices: UserChoices, like: Path, progress: Progress
) -> TableSearch:
    """Return a search result with a single coarsening: the earlier advice, applied to this table.

    like: the file of the earlier advice. Raises ChoiceError for a setting that only a search can
    use.
    """
    for name in ("suppress_cells", "hierarchy", "importance", "steps"):
        if getattr(choices, name) not in (None, {}):
            raise ChoiceError(f"--{name.replace('_', '-')} {NO_SEARCH}", name)
    progress("applying the earlier advice")
    earlier = replace(read_advice(like), file=Path(file_argument(choices.like or "")))
    if earlier.suppress is not None and choices.suppress is None:
        raise ChoiceError(
            f"suppress: the advice of {choices.like} may leave out rows of {earlier.suppress:.0%} "
            "of the people, and --like keeps that; choose the share of people, which may be 0 %",
            "suppress",
        )
    return search_again(
        table,
        earlier,
        choices.k,
        choices.max_exposure,
        missing=MISSING,
        roles=roles_of(choices),
        predict=choices.predict,
        by=choices.by,
    )


def target_of(like: Path) -> dict[str, Any]:
    """Return the target in a file of earlier advice, as settings: name -> value.

    like: the path of the file. Raises DataError for a file without advice.
    """
    earlier = read_advice(like)
    return {
        "k": earlier.k,
        "max_exposure": earlier.max_exposure,
        "suppress": earlier.suppress,
        "threshold": None,
    }


def first_look(choices: UserChoices, table: SourceTable) -> bool:
    """Whether a short search comes first and is shown, because the whole search may take long.

    False if the user limits the steps or follows earlier advice.
    """
    return choices.steps is None and choices.like is None and len(table.columns) > SMALL_SEARCH
