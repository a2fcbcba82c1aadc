"""The columns of a release that was made elsewhere, matched by name with the original's columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole


@dataclass(frozen=True, slots=True)
class ComparedColumns:
    """The columns of a release, compared with the columns of the original.

    Attributes:
        chosen: the columns that are judged: name in the original -> name in the release.
        added: columns that the original lacks.
        identifiers: direct identifiers of the original that are released.
        free_text: columns of free text of the original that are released.
        not_judged: further columns of the original that are not read: sampling weights, and columns
            that --columns leaves out.
    """

    chosen: dict[str, str]
    added: tuple[str, ...]
    identifiers: tuple[str, ...]
    free_text: tuple[str, ...]
    not_judged: tuple[str, ...]


def released_columns(people: SourceTable, released: Sequence[str]) -> ComparedColumns:
    """Return the columns of a release, matched by name with the columns of the original.

    people: the original table. released: the names of the release's columns.
    """
    role = {judged.column: judged.role for judged in people.judged}
    further = people.source.columns if people.source else ()
    names = match_names(dict.fromkeys((*people.columns, *role, *further)), released)
    rest = {name: theirs for name, theirs in names.items() if name not in people.columns}
    never = (ColumnRole.IDENTIFIER, ColumnRole.TEXT)
    identifiers, free_text = (
        tuple(theirs for name, theirs in rest.items() if role.get(name) is left_out)
        for left_out in never
    )
    return ComparedColumns(
        {name: theirs for name, theirs in names.items() if name not in rest},
        tuple(name for name in released if name not in names.values()),
        identifiers,
        free_text,
        tuple(theirs for name, theirs in rest.items() if role.get(name) not in never),
    )


def match_names(names: Iterable[str], released_names: Sequence[str]) -> dict[str, str]:
    """Return the name in the release of each original column that is in both files.

    Names match if they are equal, or else if they differ only in case or spaces.

    >>> from veilmix.own_data.released_columns import match_names
    >>> match_names(["age", "Sex"], ["Age", "age", "SEX"])
    {'age': 'age', 'Sex': 'SEX'}
    """
    original_names = list(names)
    equal_names = set(original_names) & set(released_names)
    folded = {_folded(name): name for name in reversed(released_names) if name not in equal_names}
    pairs = {
        name: name if name in equal_names else folded.pop(_folded(name), None)
        for name in original_names
    }
    return {
        name: released_name for name, released_name in pairs.items() if released_name is not None
    }


def _folded(name: str) -> str:
    """Return a name without differences of case and spaces."""
    return " ".join(name.casefold().split())
