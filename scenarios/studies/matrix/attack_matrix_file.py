"""An attack matrix (attacks x defences) on disk: a folder that is complete or does not exist.

    scenario.toml      the scenario under attack, with the seed of the first run
    matrix.json        `Matrix`, schema 1 (matrix_result.py)
    matrix.csv         one line for each attack and defence
    costs.csv          one line for each defence
    matrix.png .svg    the heat table, if matplotlib is installed
    versions.json      the versions of veilmix, Python and libraries

This module writes the folder, and reads matrix.json again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from msgspec.structs import replace

from ....analysis import drawing
from ....analysis.figures import attack_matrix as matrix_figure
from ....errors import LocalError, StorageError
from ....number_text import plural, seeds
from ....strict_text import Unreadable, from_json
from ...records.result_file import SCENARIO, VERSIONS
from ...records.run_folder import store, versions
from ...schema.dump import dump
from ...schema.model import Scenario
from ...serialization.csv_text import csv_text
from ...serialization.json_text import pretty
from ...serialization.record import plain
from .attack_plan import ALL_GUARDS, NONE
from .matrix_frames import CELLS, COSTS, cells, costs
from .matrix_result import SCHEMA, Cell, Column, Matrix

__all__ = [
    "MATRIX",
    "figure_of",
    "is_one",
    "read",
    "save",
    "without_occasion",
]

# keys of `Matrix.honest` (means over honest runs) that every matrix.json must have
HONEST = {"cpu_seconds", "bytes", "messages"}
MATRIX = "matrix.json"


def without_occasion(cell: Cell) -> str:
    """Return in words in how many runs of a cell the attack could not begin.

    Empty if there is no such run.
    """
    return f"{cell.unmet} of {cell.runs + cell.unmet} without an occasion" if cell.unmet else ""


COST_HEADINGS = (
    *("defence", "here", "CPU ms", "bytes", "messages", "steps", "crowd"),
    *("false alarms", "guards"),
)


def cost_cells(column: Column) -> tuple[str, ...]:
    """Return the cells that print a defence's cost, in the order of `COST_HEADINGS`."""
    state, cost = "on" if column.on else "off", column.cost
    if cost is None:
        return column.name, state, *("",) * 6, column.guards
    half = "" if cost.cpu_high is None else f" +- {1000 * (cost.cpu_high - cost.cpu):.1f}"
    return (
        column.name,
        state,
        f"{1000 * cost.cpu:+.1f}{half}",
        f"{cost.size:+,.0f}",
        f"{cost.messages:+,.0f}",
        f"{cost.steps:+,.0f}",
        "" if cost.crowd is None else f"{cost.crowd:+,.1f}",
        f"{cost.false_alarms} of {cost.runs}",
        column.guards,
    )


def figure_of(matrix: Matrix) -> matrix_figure.HeatTable:
    """Return the description of the heat table that draws an attack matrix."""
    headings = (NONE, *(column.name for column in matrix.columns), ALL_GUARDS)
    rows = []
    for row in matrix.rows:
        row_cells = []
        for heading in headings:
            cell = matrix.cell(row.name, heading)
            row_cells.append(
                matrix_figure.Sign(
                    cell.verdict,
                    cell.value / cell.of if cell.of else 0.0,
                    cell.alarmed / cell.runs if cell.runs else 0.0,
                    bool(cell.runs) and cell.released == 0,
                    heading in row.helping,
                    cell.same,
                )
            )
        rows.append((row.name, tuple(row_cells)))
    title = (
        f"{matrix.scenario}: {matrix.users:,} people, every cell played "
        f"{plural(matrix.repeats, 'time')}, {seeds(matrix.seed, matrix.repeats)}"
    )
    return matrix_figure.HeatTable(title, headings, tuple(rows))


def save(matrix: Matrix, scenario: Scenario, parent: str | PathLike[str]) -> Path:
    """Write an attack matrix as folder `attack-<scenario>-<seed>` into `parent`; return its path.

    scenario: the scenario under attack. Raises StorageError.
    """
    parent = Path(parent)
    about = replace(scenario.scenario, seed=matrix.seed)
    scenario = replace(scenario, scenario=about)
    return store(_contents(matrix, scenario), parent, f"attack-{matrix.scenario}-{matrix.seed:04d}")


def _contents(matrix: Matrix, scenario: Scenario) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an attack matrix's folder as (name, bytes)."""
    yield SCENARIO, dump(scenario).encode()
    yield MATRIX, pretty(plain(matrix)).encode()
    yield "matrix.csv", _csv(tuple(CELLS), cells(matrix))
    yield "costs.csv", _csv(tuple(COSTS), costs(matrix))
    try:
        drawing.require()
    except LocalError:
        pass
    else:
        picture = matrix_figure.draw(figure_of(matrix))
        for ending in drawing.FORMATS:
            yield f"matrix{ending}", drawing.rendered(picture, ending)
    yield VERSIONS, pretty(versions()).encode()


def _csv(headings: Sequence[str], lines: Sequence[Sequence[object]]) -> bytes:
    """Return a table as bytes of CSV."""
    return csv_text([headings, *lines]).encode()


def is_one(path: str | PathLike[str]) -> bool:
    """Whether a path is the folder of a saved attack matrix, or its file matrix.json."""
    path = Path(path)
    return (path / MATRIX).is_file() if path.is_dir() else path.name == MATRIX and path.is_file()


def read(path: str | PathLike[str]) -> Matrix:
    """Return a saved attack matrix. StorageError if it is damaged.

    path: its folder, or its file matrix.json.
    """
    path = Path(path)
    file = path / MATRIX if path.is_dir() else path
    try:
        matrix = from_json(file.read_bytes(), Matrix)
    except OSError as bad:
        raise StorageError(f"{file}: cannot be read: {bad.strerror}") from None
    except Unreadable as bad:
        raise StorageError(f"{file}:{bad.line}: no matrix of attacks: {bad.why}") from None
    if matrix.schema != SCHEMA:
        raise StorageError(f"{file}: schema {matrix.schema}; this version reads {SCHEMA}")
    _whole(matrix, file)
    return matrix


def _whole(matrix: Matrix, file: Path) -> None:
    """Raise StorageError unless a matrix has each cell once, and the costs of an honest run."""
    if lacking := HONEST - matrix.honest.keys():
        raise StorageError(f"{file}: no matrix of attacks: honest: {min(lacking)} is missing")
    headings = (NONE, *(column.name for column in matrix.columns), ALL_GUARDS)
    due = [(row.name, heading) for row in matrix.rows for heading in headings]
    outcomes = [(outcome.row, outcome.defence) for outcome in matrix.outcomes]
    if sorted(due) != sorted(outcomes):
        odd = sorted({*due} ^ {*outcomes}) or [
            name for name in outcomes if outcomes.count(name) > 1
        ]
        raise StorageError(
            f"{file}: {len(due)} cells were expected, one for each attack and defence, "
            f"{len(outcomes)} are there; the first that does not fit: {' x '.join(odd[0])}"
        )
