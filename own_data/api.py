"""Your own tables from Python: `veilmix.score` and `veilmix.advise`.

>>> import veilmix
>>> table = {"name": ["ada", "bob", "eve", "joe"], "age": [30, 30, 31, 31]}
>>> veilmix.score(table, k=2, columns="age").safe
True
>>> advised = veilmix.advise(table, k=3, columns="age")
>>> advised.level_names(advised.best)  # the choice that loses least
('dropped',)

A table is a path, or a frame of any table library (populations/frame_file.py). All
other keywords are fields of `Reading`; they are options of the command line too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..scenarios.populations.frame_file import MAX_LINES, file_of
from .advise import advise as _advise
from .attacker_columns import Roles, known_by_default
from .read_table import Reading, read
from .result_frames import FramedAdvice, FramedScore, framed_advice, framed_score
from .sensitive_targets import Targets
from .table_score import score_read

MISSING = "(missing)"  # the value that stands for an empty cell
Progress = Callable[[str], None]


def score(
    table: Any,
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: str = "category",
    factor: float = 1.0,
    worst_case_nodes: int | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> FramedScore:
    """Score the disclosure risk of a table's people; direct identifiers are left out.

    Args:
        table: a path or a frame.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        missing: whether a missing cell is a `category` or a `wildcard`.
        factor: people in the population for each person in the table.
        worst_case_nodes: most nodes of each search tree in the search for the worst table
            with the same counts of columns; None: no such search.
        progress: is called with the name of each stage.
        reading: the description of the table (`Reading`).

    Raises:
        DataError: the table cannot be used. ParameterError: an argument is wrong.
    """
    path, options = _path_and_options(table, reading)
    return framed_score(
        score_read(
            read(path, options),
            options.lacking,
            k,
            max_exposure,
            missing=missing,
            factor=factor,
            worst_case_nodes=worst_case_nodes,
            progress=progress or (lambda _stage: None),
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
    known: str | None = None,
    keep: Sequence[str] = (),
    targets: Mapping[str, Targets] | None = None,
    suppress: float | None = None,
    suppress_cells: float | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> FramedAdvice:
    """Search for the coarser values of a table with the least loss; identifiers are left out.

    Args:
        table: a path or a frame.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        hierarchies: files of generalization levels in the form of ARX, by column.
        weights: the weight of each named column in the loss of information.
        predict: a column whose prediction from the other columns is measured.
        by: the basis of the target: the table's `truth`, or the `promise`, a bound from the
            counts of its columns.
        steps: most steps of the search.
        known: attackers may know `quasi`-identifiers or `all` columns; None:
            quasi-identifiers if the user gives a column a role, else all.
        keep: columns that are released as they are.
        targets: l, entropy-l and t of sensitive columns.
        suppress: the share of people whose rows may be left out; None: no row.
        suppress_cells: the share of cells that may be suppressed; None: no cell.
        progress: is called with the name of each stage.
        reading: the description of the table (`Reading`).
    """
    path, options = _path_and_options(table, reading)
    return framed_advice(
        _advise(
            *(read(path, options, MISSING), k, max_exposure),
            missing=MISSING,
            hierarchies={name: Path(file) for name, file in (hierarchies or {}).items()},
            weights=weights,
            predict=predict,
            by=by,
            steps=steps,
            roles=Roles(
                known or known_by_default(options),
                tuple(keep),
                targets or {},
                suppress,
                suppress_cells,
            ),
            progress=progress or (lambda _stage: None),
        )
    )


def _path_and_options(table: Any, reading: Mapping[str, Any]) -> tuple[Path, Reading]:
    """Return the path of a table and the options of its reading; a frame is first made a file."""
    try:
        options = Reading(**reading)
    except TypeError as wrong:
        raise ParameterError(f"{wrong}; accepted are {', '.join(Reading.__slots__)}") from None
    if isinstance(table, str | PathLike):
        return Path(table), options
    form = {"separator": ",", "header_row": 1, "last_row": MAX_LINES, "decimal": "."}
    return file_of(table), Reading(**{**form, **reading})
