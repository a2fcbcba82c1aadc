"""An attack matrix (attacks x defences) as rows of CSV files, and as tables of plain columns."""

from dataclasses import dataclass
from typing import Any, Literal, Never

from ....analysis.frames import Cell, TypedFrame, typed_frame

CELLS = {
    "row": str,
    "defence": str,
    "verdict": str,
    "runs": int,
    "value": float,
    "least": float,
    "most": float,
    "of": float,
    "linked": float,
    "certain": float,
    "moved": float,
    "released": int,
    "burned": int,
    "alarmed": int,
    "low": float,
    "high": float,
    "refused": float,
    "same": bool,
    "why": str,
    "unmet": int,
}
COSTS = {
    "defence": str,
    "key": str,
    "on": bool,
    "guards": str,
    "runs": int,
    "cpu_seconds": float,
    "cpu_low_95": float,
    "cpu_high_95": float,
    "bytes": float,
    "messages": float,
    "false_alarms": int,
    "steps": float,
    "crowd": float,
}
CellFrame = TypedFrame[
    Literal["runs", "released", "burned", "alarmed", "unmet"],
    Literal["value", "least", "most", "of", "linked", "certain", "moved", "low", "high", "refused"],
    Literal["row", "defence", "verdict", "why"],
]
CostFrame = TypedFrame[Never, Never, Literal["defence", "key", "guards"]]


@dataclass(frozen=True, slots=True)
class MatrixFrames:
    """The tables of an attack matrix.

    Attributes:
        cells: a row for each attack and defence, as in matrix.csv.
        defences: the cost of each defence, as in costs.csv; empty where it was not measured.
    """

    cells: CellFrame
    defences: CostFrame


def matrix_frames(matrix: Any) -> MatrixFrames:
    """Return the tables of an attack matrix (attacks x defences).

    matrix: a `Matrix`. The type is not imported here, because matrix_result.py imports this module.
    """
    return MatrixFrames(typed_frame(CELLS, cells(matrix)), typed_frame(COSTS, costs(matrix)))


def cells(matrix: Any) -> list[tuple[Cell, ...]]:
    """Return the lines of matrix.csv, one for each attack and defence. matrix: a `Matrix`."""
    return [tuple(getattr(outcome, field) for field in CELLS) for outcome in matrix.outcomes]


def costs(matrix: Any) -> list[tuple[Cell, ...]]:
    """Return the lines of costs.csv: the cost of each defence; empty cells if it was not measured.

    matrix: a `Matrix`.
    """
    lines: list[tuple[Cell, ...]] = []
    for column in matrix.columns:
        cost = column.cost
        prices = (
            cost.runs, cost.cpu, cost.cpu_low, cost.cpu_high, cost.size, cost.messages,
            cost.false_alarms, cost.steps, cost.crowd,
        ) if cost else (None,) * 9  # fmt: skip
        lines.append((column.name, column.key, column.on, column.guards, *prices))
    return lines
