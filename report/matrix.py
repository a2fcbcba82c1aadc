"""The page of an attack matrix (attacks x defences), and its section on the page of a run."""

from collections.abc import Iterator, Sequence

from ..number_text import plural, seeds
from ..presentation.blocks import Alert, Block, Page, Section, VerdictAnswer, worst_first
from ..presentation.presenters.attack_matrix import (
    LEGEND,
    achieved,
    attacks_grid,
    costs_grid,
    honest_cost,
    plain_cells,
)
from ..presentation.text_blocks import Line, PageNumbers
from ..scenarios.studies.matrix.attack_matrix_file import figure_of
from ..scenarios.studies.matrix.attack_plan import ALL_GUARDS, NONE
from ..scenarios.studies.matrix.matrix_frames import CELLS, cells
from ..scenarios.studies.matrix.matrix_result import AttackRow, Cell, Matrix
from . import heat_map as heat

ROLE_LABELS = {
    "user": "users",
    "shuffler": "shufflers",
    "network": "whoever holds the wires",
    "peer": "peers",
}
KNOWS = (
    "Every run was played with real messages; what attackers achieve is measured from what their "
    "parties saw. Made by veilmix from a saved matrix; nothing on it is loaded from anywhere."
)
LEAD = (
    "Every attack that was played, without and with the defences that are said to help against "
    "it, and with all of them. The picture, and its data, have every other pair too."
)


def page(matrix: Matrix) -> Page:
    """Make the page of an attack matrix: outcomes, costs of defences, and alerts."""
    about = (
        matrix.scenario,
        plural(matrix.users, "person", "people"),
        plural(len(matrix.rows), "attack"),
        plural(len(matrix.columns), "defence"),
        f"{plural(matrix.repeats, 'run')} a cell",
        seeds(matrix.seed, matrix.repeats),
    )
    return Page(
        f"Attacks and defences: {matrix.scenario}",
        about,
        worst_first(list(_alerts(matrix))),
        tuple(_verdict(matrix)),
        (section(matrix), _paid(matrix)),
        KNOWS,
    )


def section(matrix: Matrix) -> Section:
    """Return the attack matrix as a section of a page: a figure, and a table by attacker role."""
    numbers = PageNumbers("attack-matrix", tuple(CELLS), [*map(plain_cells, cells(matrix))])
    grids = (
        attacks_grid(
            matrix,
            [row for row in matrix.rows if row.by == role],
            f"Attacks by {ROLE_LABELS.get(role, role)}",
        )
        for role in dict.fromkeys(row.by for row in matrix.rows)
    )
    blocks: tuple[Block, ...] = (heat.figure(figure_of(matrix), numbers), Line(LEGEND), *grids)
    return Section("matrix", "Attacks \u00d7 defences where run", LEAD, blocks)


def _paid(matrix: Matrix) -> Section:
    """Return the section on the cost of every defence: time, messages, bytes, anonymity sets."""
    lead = (
        f"A run that nobody attacks takes {honest_cost(matrix)}. With a defence it "
        "takes so much more; CPU with the half width of its 95 % interval. Steps wait for one "
        "another. The crowd is by how many people more, or fewer, everybody hides among, in the "
        "mean, from both readers and all shufflers but one, who keep to the rules."
    )
    return Section("costs", "What defences cost", lead, (costs_grid(matrix),))


def noticed(cell: Cell) -> bool:
    """Whether an attack was noticed in every run with a certain defence.

    It was noticed if a party raised an alarm, or if a round was aborted with a public reason.
    cell: the results of the attack's runs with this defence.
    """
    return bool(cell.runs) and max(cell.alarmed, cell.burned) == cell.runs


def standing(matrix: Matrix) -> list[AttackRow]:
    """Return the attacks that succeed with every defence on, and stay unnoticed in some run."""
    return [
        row
        for row in matrix.rows
        if (cell := matrix.cell(row.name, ALL_GUARDS)).verdict in ("works", "reduced")
        and not noticed(cell)
    ]


def _alerts(matrix: Matrix) -> Iterator[Alert]:
    """Yield alerts on attacks that no defence stops, and on defences that raise false alarms."""
    for row in standing(matrix):
        cell = matrix.cell(row.name, ALL_GUARDS)
        yield Alert(
            "warning",
            "standing",
            f"{row.name}: no defence stops it",
            f"{row.by}: {row.does}. With every defence on: {achieved(cell)} "
            f"{row.unit}, an alarm in {cell.alarmed} of {cell.runs} runs.",
            weight=cell.value / cell.of if cell.of else 0.0,
        )
    false = [column for column in matrix.columns if column.cost and column.cost.false_alarms]
    if false:
        names = ", ".join(column.name for column in false)
        text = f"With {names} somebody raised an alarm in a run that nobody attacked."
        yield Alert("serious", "false-alarm", "An alarm without a reason", text)


def _verdict(matrix: Matrix) -> Iterator[VerdictAnswer]:
    """Yield the answers at the top: attacks that work, that defences stop, and that are left."""
    bare = [row for row in matrix.rows if matrix.cell(row.name, NONE).verdict == "works"]
    full = [row for row in bare if matrix.cell(row.name, ALL_GUARDS).verdict == "stopped"]
    noticed_rows = [
        row
        for row in bare
        if (cell := matrix.cell(row.name, ALL_GUARDS)).verdict != "stopped" and noticed(cell)
    ]
    standing_attacks = standing(matrix)
    yield VerdictAnswer(
        "How many attacks work without a defence?",
        f"{len(bare)} of {len(matrix.rows)}",
        "The others achieve nothing here, or find no occasion: "
        + (_names(matrix.rows, bare) or "there are none")
        + ".",
    )
    yield VerdictAnswer(
        "How many of them does everything together stop?",
        f"{len(full)} of {len(bare)}",
        f"{plural(len(noticed_rows), 'more is', 'more are')} noticed in every run: "
        f"{_names(noticed_rows) or 'none'}.",
    )
    yield VerdictAnswer(
        "What is left?",
        plural(len(standing_attacks), "attack") if standing_attacks else "nothing",
        f"Neither stopped nor always noticed: {_names(standing_attacks) or 'none'}.",
    )


def _names(rows: Sequence[AttackRow], but: Sequence[AttackRow] = ()) -> str:
    """Return the names of attacks, separated by commas, without the attacks in `but`."""
    out = {row.name for row in but}
    return ", ".join(row.name for row in rows if row.name not in out)
