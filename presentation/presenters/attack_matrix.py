"""The presenter of an attack matrix: each attack of the catalogue is played with each defence.

It shows the outcomes of attacks. It also shows the cost of each defence in a run without an attack:
time, messages and bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...number_text import percent, plural, seeds
from ...scenarios.studies.matrix.attack_matrix_file import (
    COST_HEADINGS,
    cost_cells,
    without_occasion,
)
from ...scenarios.studies.matrix.attack_plan import ALL_GUARDS, NONE
from ...scenarios.studies.matrix.matrix_frames import COSTS, costs
from ..text_blocks import Grid, Line, Marked, PageNumbers

if TYPE_CHECKING:
    from ...scenarios.studies.matrix.matrix_result import AttackRow, Cell, Matrix
    from ..blocks import Block

HEADINGS = ("attack", "kind", "defence", "achieved", "unit", "outcome", "detected", "released")
OUTCOMES: Mapping[str, str] = {
    "works": Marked("works", "bad"),
    "reduced": Marked("less than half is left", "chosen"),
    "stopped": Marked("stopped", "good"),
    "idle": "achieves nothing here",
    "unmet": "no occasion",
    "unplayed": "not played",
}  # verdict on an attack with a defence -> its words, with a sign on a page
LEGEND = (
    "kind: parties that cheat break a rule; those that watch keep to the rules, and use what a\n"
    "design error shows. What every coalition learns, of either kind: veilmix leak.\n"
    "none: without the defences that are said to help; (another): a defence that is not said to,\n"
    "and makes a difference; all: with every defence. achieved: mean of the runs, of the most\n"
    "possible. detected: runs in which somebody raised an alarm, and the probability of that\n"
    "(95 % interval, Clopper-Pearson). Every other cell is as that of none; --format csv has all.\n"
    "without an occasion: runs in which nothing was what the attack waits for, such as a second\n"
    "round; no other figure counts them."
)


def terminal(matrix: "Matrix") -> Iterator["Block"]:
    """Yield an attack matrix for a terminal: outcome of each attack, then costs of defences."""
    yield Line(
        f"{matrix.scenario}  {plural(matrix.users, 'person', 'people')}, every cell played "
        f"{plural(matrix.repeats, 'time')}, {seeds(matrix.seed, matrix.repeats)}\n"
    )
    yield from (attacks_grid(matrix, matrix.rows), Line(), Line(LEGEND), Line())
    yield Line("what a defence adds to a run that nobody attacks", "bold")
    yield costs_grid(matrix)
    yield Line(f"\nsuch a run takes {honest_cost(matrix)}.")


def attacks_grid(matrix: "Matrix", attacks: Sequence["AttackRow"], caption: str = "") -> Grid:
    """Return the table of attacks: for each attack, the defences that change its outcome.

    matrix: the whole attack matrix. attacks: the attacks to show.
    """
    rows = [line for attack in attacks for line in _lines(matrix, attack)]
    return Grid(HEADINGS, rows, (3,), caption)


def _lines(matrix: "Matrix", row: "AttackRow") -> Iterator[tuple[str, ...]]:
    """Yield table rows on an attack: without defences, with each that matters, and with all.

    A defence matters if it is known to help, or if it changes the outcome or the alarms. row: the
    attack's data.
    """
    without = matrix.cell(row.name, NONE)
    yield _line(row.name, NONE, row, without)
    for column in matrix.columns:
        cell = matrix.cell(row.name, column.name)
        if column.name in row.helping:
            yield _line("", column.name, row, cell)
        elif not cell.same and cell.runs and _differs(cell, without):
            yield _line("", f"({column.name})", row, cell)
    yield _line("", ALL_GUARDS, row, matrix.cell(row.name, ALL_GUARDS))


def _differs(cell: "Cell", without: "Cell") -> bool:
    """Whether a defence changes the verdict on an attack, or whether alarms are raised.

    cell: the outcome with the defence. without: the outcome without defences.
    """
    return cell.verdict != without.verdict or bool(cell.alarmed) != bool(without.alarmed)


def _line(name: str, defence: str, row: "AttackRow", cell: "Cell") -> tuple[str, ...]:
    """Return the table row on an attack with a defence, under `HEADINGS`.

    name: the attack; "" in further rows on the same attack. row: the attack's data. cell: the
    outcome.
    """
    kind, unmet = row.kind if name else "", without_occasion(cell)
    if not cell.runs:
        why = unmet if cell.verdict == "unmet" else f"not played: {cell.why}"
        return name, kind, defence, "-", row.unit, why, "", ""
    outcome = OUTCOMES[cell.verdict]
    return (
        *(name, kind, defence, achieved(cell), row.unit),
        f"{outcome}; {unmet}" if unmet else outcome,
        *(detected(cell), f"{cell.released} of {cell.runs}"),
    )


def achieved(cell: "Cell") -> str:
    """Return the mean success of an attack and its largest possible success, as text.

    cell: the outcomes of all runs of the attack with a defence.
    """
    return f"{cell.value:.3g} of {cell.of:.3g}"


def detected(cell: "Cell") -> str:
    """Return the number of runs with an alarm, with the 95 % interval of its probability, as text.

    cell: the outcomes of all runs of an attack with a defence. The causes of the alarms follow in
    brackets.
    """
    about = f" ({', '.join(cell.causes)})" if cell.causes else ""
    return f"{cell.alarmed} of {cell.runs}, {percent(cell.low)} to {percent(cell.high)}{about}"


def costs_grid(matrix: "Matrix") -> Grid:
    """Return the table of the time, messages and bytes that each defence adds to a run."""
    numbers = PageNumbers("defence-costs", tuple(COSTS), [*map(plain_cells, costs(matrix))])
    rows = [cost_cells(column) for column in matrix.columns]
    return Grid(COST_HEADINGS, rows, (2, 3, 4, 5, 6, 7), "what a defence adds", numbers)


def plain_cells(line: Sequence[object]) -> list[str | int | float | None]:
    """Return cells for a CSV file: numbers stay numbers, missing values become ""."""
    cell_values = ("" if value is None else value for value in line)
    return [value if isinstance(value, int | float) else str(value) for value in cell_values]


def honest_cost(matrix: "Matrix") -> str:
    """Return the CPU time, bytes and messages of a run without an attack, in words."""
    honest = matrix.honest
    return (
        f"{1000 * honest['cpu_seconds']:.1f} ms of CPU, {honest['bytes']:,.0f} bytes and "
        f"{honest['messages']:,.0f} messages"
    )
