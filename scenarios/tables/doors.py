"""Tables of one's own from Python: `veilmix.score` and `veilmix.advise`.

>>> import veilmix
>>> table = {"name": ["ada", "bob", "eve", "joe"], "age": [30, 30, 31, 31]}
>>> veilmix.score(table, k=2, columns="age").safe
True
>>> advised = veilmix.advise(table, k=3, columns="age")
>>> advised.level_names(advised.best)  # the choice that loses least
('dropped',)

A table is a path, or a frame of whichever library (populations/frame_file.py). Keywords that are
not named here are those of `Reading`, which are the options of the command line.
"""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ...errors import ParameterError
from ..populations.frame_file import file_of
from .advise import advise as _advise
from .frames import FramedAdvice, FramedScore, framed_advice, framed_score
from .reading import Reading, read
from .scored import score_read

MISSING = "(missing)"  # what an empty cell is called in a scenario
Progress = Callable[[str], None]


def score(
    table: Any,
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: str = "category",
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    progress: Progress = lambda _stage: None,
    **reading: Any,
) -> FramedScore:
    """Score the people of a table; direct identifiers are left out.

    Args:
        table: a path or a frame.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        missing: whether a missing cell is a `category` or a `wildcard`.
        factor: people in the population for each one in the table.
        worst_case_nodes: of every search tree for the worst table with these columns; None: it is
            not sought.
        progress: is called with the name of each stage.
        reading: what is said of the table (`Reading`).

    Raises:
        DataError: the table cannot be used. ParameterError: an argument is wrong.
    """
    path, said = _read_as(table, reading)
    return framed_score(
        score_read(
            read(path, said),
            said.lacking,
            k,
            max_exposure,
            missing=missing,
            factor=factor,
            worst_case_nodes=worst_case_nodes,
            progress=progress,
        )
    )


def advise(
    table: Any,
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    hierarchies: Mapping[str, str | PathLike[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    predict: str | None = None,
    by: str = "truth",
    steps: int | None = None,
    progress: Progress = lambda _stage: None,
    **reading: Any,
) -> FramedAdvice:
    """Search for the coarser values that lose least; direct identifiers are left out.

    Args:
        table: a path or a frame.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        hierarchies: files as ARX has them, by column.
        weights: how much columns count, by name.
        predict: a column whose prediction from the others is measured.
        by: what has to reach the target: the `truth` of the table, or the `promise` of its columns.
        steps: of the search, at most: counts of the table, and promises; None: 1.5 x 10^9 / people,
            at most 250,000.
        progress: is called with the name of each stage.
        reading: what is said of the table (`Reading`).

    Raises:
        DataError: the table cannot be used. ParameterError: an argument is wrong.
    """
    path, said = _read_as(table, reading)
    return framed_advice(
        _advise(
            read(path, said, MISSING),
            k,
            max_exposure,
            missing=MISSING,
            hierarchies={name: Path(file) for name, file in (hierarchies or {}).items()},
            weights=weights,
            predict=predict,
            by=by,
            steps=steps,
            progress=progress,
        )
    )


def _read_as(table: Any, reading: Mapping[str, Any]) -> tuple[Path, Reading]:
    """Where the table is, and what is said of it."""
    try:
        said = Reading(**reading)
    except TypeError as wrong:
        raise ParameterError(f"{wrong}; accepted are {', '.join(Reading.__slots__)}") from None
    if isinstance(table, str | PathLike):
        return Path(table), said
    return file_of(table), Reading(**{"separator": ",", "header": True, "decimal": ".", **reading})
