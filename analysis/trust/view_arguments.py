"""Checks of the arguments of functions that take a coalition's view.

All functions raise a `ParameterError` that names the argument, the value found and the accepted
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...errors import ParameterError
from ...protocol.knowledge.run_record import distinct
from ..validation import brief, number, sequence, whole

if TYPE_CHECKING:
    from ...protocol.knowledge.transcript import Row
    from ...protocol.knowledge.view import View
    from .view_evidence import Shares

# Most values of a column: a distribution over so many still fits in memory.
MOST_VALUES = 10_000_000


def as_view(view: Any) -> View:
    """Return the argument if it is a view of `veilmix.protocol.knowledge.view`."""
    from ...protocol.knowledge.view import View

    if not isinstance(view, View):
        raise ParameterError(
            f"view: found {brief(view)}; needs a veilmix.protocol.knowledge.view.View"
        )
    return view


def columns_of(view: View) -> int:
    """Return the least number of columns that a view implies: 1 + its largest column number."""
    counted_columns = (column for counts_seen in view.counted for column in counts_seen.columns)
    rows = chain.from_iterable(distinct(people.values()) for people in view.by_round.values())
    return 1 + max({0, *counted_columns, *chain.from_iterable(rows)})


def as_sizes(sizes: Any, view: View | None) -> list[int]:
    """Check the number of values of each column and return it: at least 1, at most MOST_VALUES.

    Raises ParameterError for fewer columns than the view has. Without a view (None) the number of
    columns is not compared.
    """
    checked = [
        whole(size, f"sizes[{j}]", 1)
        for j, size in enumerate(sequence(sizes, "sizes", "the number of values of each column"))
    ]
    if view is not None and len(checked) < columns_of(view):
        raise ParameterError(
            f"sizes: found {len(checked)} columns; the view has at least {columns_of(view)}"
        )
    if large := [size for size in checked if size > MOST_VALUES]:
        raise ParameterError(
            f"sizes: holds {brief(large[0])}; at most {MOST_VALUES:,} values a column are accepted"
        )
    return checked


class CheckedRows(dict[int, "Row"]):
    """True rows, by index of the person, that `checked_rows` has checked already.

    Attributes:
        columns: number of columns against which the rows were checked.
    """

    __slots__ = ("columns",)
    columns: int


def checked_rows(truth: Any, columns: int) -> CheckedRows | None:
    """Check true rows once, so that the views of all coalitions of a run can use them unchecked.

    truth: the rows by index of the person, or None. columns: number of columns.
    """
    rows = as_truth(truth, columns)
    if rows is None:
        return None
    checked = CheckedRows(rows)
    checked.columns = columns
    return checked


def as_truth(truth: Any, columns: int) -> Mapping[int, Row] | None:
    """Check true rows, by index of the person, each a mapping of column to value; None is accepted.

    columns: number of columns.
    """
    if truth is None or (isinstance(truth, CheckedRows) and truth.columns <= columns):
        return truth
    if not isinstance(truth, Mapping):
        raise ParameterError(f"truth: found {brief(truth)}; needs rows by the index of people")
    if _plain_rows(truth, columns):
        return truth
    for person, row in truth.items():
        whole(person, "truth: a person", 0)
        if not isinstance(row, Mapping) or not all(isinstance(v, str) for v in row.values()):
            raise ParameterError(
                f"truth[{person}]: found {brief(row)}; needs a value, as text, for each column"
            )
        for column in row:
            if whole(column, f"truth[{person}]: a column", 0) >= columns:
                raise ParameterError(
                    f"truth[{person}]: found column {column}; there are {columns} columns, from 0"
                )
    return truth


def _plain_rows(truth: Mapping[Any, Any], columns: int) -> bool:
    """Whether true rows have plain types and valid columns, so that no row has an error.

    A look at the sets of types takes a tenth of the time of a check of each cell.
    """
    rows = truth.values()
    return (
        {*map(type, truth)} <= {int}
        and min(truth, default=0) >= 0
        and {*map(type, rows)} <= {dict}
        and {*map(type, chain.from_iterable(rows))} <= {int}
        and {*map(type, chain.from_iterable(map(dict.values, rows)))} <= {str}
        and {*chain.from_iterable(rows)} <= {*range(columns)}
    )


def as_shares(prior: Any, columns: int) -> Shares | None:
    """Check the prior and return it: the shares of the values of each column; None is accepted.

    columns: number of columns.
    """
    if prior is None:
        return None
    laws = sequence(prior, "prior", "the shares of the values of each column")
    if len(laws) != columns:
        raise ParameterError(f"prior: found {len(laws)} columns; needs {columns}")
    for j, shares in enumerate(laws):
        if not isinstance(shares, Mapping) or not all(isinstance(v, str) for v in shares):
            raise ParameterError(f"prior[{j}]: found {brief(shares)}; needs shares by value")
        chances = [number(share, f"prior[{j}]: a share") for share in shares.values()]
        if not all(isfinite(share) and share >= 0 for share in chances) or not sum(chances) > 0:
            raise ParameterError(
                f"prior[{j}]: found {brief(chances)}; needs shares of at least 0, not all 0"
            )
    share_laws: Sequence[Mapping[str, float]] = laws
    return tuple(share_laws)
