"""Checks of parameters that the figures of papers have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite, isinf
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..exposure.cells import as_table
from ..shipped_tables import shipped_rows
from ..validation import brief, number, sequence, whole

Progress = Callable[[str], None]
Codes = npt.NDArray[np.integer]

OTHER_PARAMETERS = "with other parameters"


def stage_of(progress: Progress | None) -> Progress:
    """Return the function that reports each stage; None becomes a function without effect."""
    return progress or (lambda _stage: None)


def title_of(paper: str, figure: str, subject: str, *, redrawn: bool) -> str:
    """Return the title of a figure of a paper.

    paper: number of the paper. figure: number of the figure. subject: the figure's subject in
    words. redrawn: whether the figure has the parameters of the paper.
    """
    return (
        f"Paper {paper}, Figure {figure}, {'redrawn' if redrawn else OTHER_PARAMETERS}: {subject}"
    )


def seed_of(seed: Any) -> int:
    """Return a checked seed, a whole number of at least 0."""
    return whole(seed, "seed", 0)


def positive_numbers(values: Any, name: str, maximum: float = inf) -> tuple[float, ...]:
    """Return finite numbers above 0 and up to `maximum`, checked; not empty.

    name: name of the parameter in messages.
    """
    needs = f"finite numbers > 0{'' if isinf(maximum) else f' and <= {maximum:g}'}, at least one"
    numbers = [number(value, name, needs) for value in sequence(values, name, needs)]
    if not numbers:
        raise ParameterError(f"{name}: found no number; needs {needs}")
    for value in numbers:
        if not (isfinite(value) and 0 < value <= maximum):
            raise ParameterError(f"{name}: found {value:g}; needs {needs}")
    return tuple(numbers)


def whole_numbers(
    values: Any, name: str, minimum: int, maximum: int | None = None, *, min_count: int = 1
) -> tuple[int, ...]:
    """Return different whole numbers from `minimum` to `maximum`, checked.

    name: name of the parameter in messages. min_count: the least number of numbers.
    """
    top = "" if maximum is None else f" and <= {maximum:,}"
    needs = f"different whole numbers >= {minimum}{top}, at least {min_count} of them"
    numbers = tuple(whole(value, name) for value in sequence(values, name, needs))
    for value in numbers:
        if value < minimum or (maximum is not None and value > maximum):
            raise ParameterError(f"{name}: found {value}; needs {needs}")
    if len(numbers) < min_count or len(set(numbers)) < len(numbers):
        raise ParameterError(f"{name}: found {brief(list(numbers))}; needs {needs}")
    return numbers


def texts(values: Any, name: str, accepted: Sequence[str]) -> tuple[str, ...]:
    """Return different texts out of `accepted`, checked; not empty.

    name: name of the parameter in messages.
    """
    needs = f"different names out of {', '.join(accepted)}, at least one"
    names = tuple(sequence(values, name, needs))
    for value in names:
        if value not in accepted:
            raise ParameterError(f"{name}: found {brief(value)}; needs {needs}")
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"{name}: found {brief(list(names))}; needs {needs}")
    return names


def people_codes(
    table: npt.ArrayLike | None,
    columns: Sequence[str] | None,
    default: Sequence[str],
    max_columns: int,
) -> tuple[Codes, tuple[str, ...]]:
    """Return the codes (n x d) of a table of people, and the names of its columns.

    Args:
        table: integer codes, a row a person; None: the shipped census.
        columns: names of the columns of the table, or of the columns of the census to take; None:
            "column 1", "column 2" and so on, or the columns `default` of the census.
        default: columns of the census that are taken if `columns` is None.
        max_columns: most columns of a table.
    """
    if table is None:
        census = shipped_rows("census")
        names = texts(default if columns is None else columns, "columns", census.columns)
        return census.codes[:, [census.columns.index(name) for name in names]], names
    codes = as_table(table)
    n, width = codes.shape
    if n < 2 or not 1 <= width <= max_columns:
        raise ParameterError(
            f"table: found {n} rows of {width} columns; needs at least 2 rows, one a person, of 1 "
            f"to {max_columns} columns"
        )
    if columns is None:
        return codes, tuple(f"column {j}" for j in range(1, width + 1))
    names = tuple(sequence(columns, "columns", "the name of each column"))
    if len(names) != width or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"columns: found {brief(list(names))}; needs {width} texts, the name of each column of "
            "the table"
        )
    return codes, names
