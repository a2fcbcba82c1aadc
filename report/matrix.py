"""The page of an attack matrix, and the section with a matrix on the page of a run."""

from collections.abc import Iterator, Sequence

from ..number_text import percent, plural, seeds
from ..presentation.blocks import (
    Alert,
    Grid,
    Line,
    Marked,
    Page,
    PageNumbers,
    Section,
    VerdictAnswer,
    worst_first,
)
from ..scenarios.studies.matrix.attack_matrix_file import (
    COST_HEADINGS,
    cost_cells,
    figure_of,
    without_occasion,
)
from ..scenarios.studies.matrix.attack_plan import ALL_GUARDS, NONE
from ..scenarios.studies.matrix.matrix_frames import CELLS, COSTS, cells, costs
from ..scenarios.studies.matrix.matrix_result import AttackRow, Cell, Matrix
from . import heat_map as heat

SIGNS = {
    "works": Marked("works", "bad"),
    "reduced": Marked("less than half", "chosen"),
    "stopped": Marked("stopped", "good"),
}  # verdict -> how it is shown; others as plain words
PLAIN = {"idle": "achieves nothing here", "unmet": "no occasion", "unplayed": "not played"}
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
    """Make the page of a matrix."""
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
    """Return attacks x defences as a section of a page."""
    headings = (
        *("attack", "kind", "defence", "outcome", "achieved", "unit", "alarms", "released"),
        "no occasion",
    )
    numbers = PageNumbers("attack-matrix", tuple(CELLS), [_plain(line) for line in cells(matrix)])
    grids: list[Grid] = []
    for role in dict.fromkeys(row.by for row in matrix.rows):
        rows = [line for row in matrix.rows if row.by == role for line in _lines(matrix, row)]
        caption = f"Attacks by {ROLE_LABELS.get(role, role)}"
        grids.append(Grid(headings, rows, (4, 6, 7, 8), caption))
    words = (
        "kind: parties that cheat break a rule; those that watch keep to the rules, and use what a "
        "design error shows. What every coalition of a run learns of either kind is in its report. "
        f"Each cell was played {plural(matrix.repeats, 'time')}. alarms: runs in which somebody "
        "raised an alarm, and the 95 % interval of its probability (Clopper-Pearson). released: "
        "runs in which anything was. no occasion: runs in which nothing was what the attack waits "
        "for, such as a second round; no other figure counts them."
    )
    return Section(
        "matrix",
        "Attacks × defences where run",
        LEAD,
        (heat.figure(figure_of(matrix), numbers), Line(words), *grids),
    )


def _plain(line: Sequence[object]) -> list[str | int | float | None]:
    cell_values = ("" if value is None else value for value in line)
    return [value if isinstance(value, int | float) else str(value) for value in cell_values]


def _lines(matrix: Matrix, row: AttackRow) -> Iterator[tuple[str, ...]]:
    for name in (
        NONE,
        *(column.name for column in matrix.columns if column.name in row.helping),
        ALL_GUARDS,
    ):
        cell = matrix.cell(row.name, name)
        yield (
            row.name if name == NONE else "",
            row.kind if name == NONE else "",
            name,
            SIGNS.get(cell.verdict) or PLAIN[cell.verdict],
            f"{cell.value:.3g} of {cell.of:.3g}" if cell.runs else "-",
            row.unit,
            _detected(cell),
            f"{cell.released} of {cell.runs}" if cell.runs else "-",
            without_occasion(cell).removesuffix(" without an occasion") or "-",
        )


def _detected(cell: Cell) -> str:
    if not cell.runs:
        return "-"
    return f"{cell.alarmed} of {cell.runs} ({percent(cell.low)} to {percent(cell.high)})"


def _paid(matrix: Matrix) -> Section:
    """Return the section on the cost of every defence."""
    headings = COST_HEADINGS
    rows = [cost_cells(column) for column in matrix.columns]
    numbers = PageNumbers("defence-costs", tuple(COSTS), [_plain(line) for line in costs(matrix)])
    grid = Grid(headings, rows, (2, 3, 4, 5, 6, 7), "What a defence adds", numbers)
    honest = matrix.honest
    lead = (
        f"A run that nobody attacks takes {1000 * honest['cpu_seconds']:.1f} ms of CPU, "
        f"{honest['bytes']:,.0f} bytes and {honest['messages']:,.0f} messages. With a defence it "
        "takes so much more; CPU with the half width of its 95 % interval. Steps wait for one "
        "another. The crowd is by how many people more, or fewer, everybody hides among, in the "
        "mean, from both readers and all shufflers but one, who keep to the rules."
    )
    return Section("costs", "What defences cost", lead, (grid,))


def noticed(cell: Cell) -> bool:
    """Whether every run was noticed: by an alarm, or by an abort with a reason on the board."""
    return bool(cell.runs) and max(cell.alarmed, cell.burned) == cell.runs


def standing(matrix: Matrix) -> list[AttackRow]:
    """Return the attacks that work with every defence on, unnoticed in some run."""
    return [
        row
        for row in matrix.rows
        if (cell := matrix.cell(row.name, ALL_GUARDS)).verdict in ("works", "reduced")
        and not noticed(cell)
    ]


def _alerts(matrix: Matrix) -> Iterator[Alert]:
    for row in standing(matrix):
        cell = matrix.cell(row.name, ALL_GUARDS)
        yield Alert(
            "warning",
            "standing",
            f"{row.name}: no defence stops it",
            f"{row.by}: {row.does}. With every defence on: {cell.value:.3g} of {cell.of:.3g} "
            f"{row.unit}, an alarm in {cell.alarmed} of {cell.runs} runs.",
            weight=cell.value / cell.of if cell.of else 0.0,
        )
    false = [column for column in matrix.columns if column.cost and column.cost.false_alarms]
    if false:
        names = ", ".join(column.name for column in false)
        text = f"With {names} somebody raised an alarm in a run that nobody attacked."
        yield Alert("serious", "false-alarm", "An alarm without a reason", text)


def _verdict(matrix: Matrix) -> Iterator[VerdictAnswer]:
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
    out = {row.name for row in but}
    return ", ".join(row.name for row in rows if row.name not in out)
