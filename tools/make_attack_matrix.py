"""Write docs/attack-matrix.md and its picture from a matrix that is played now.

    python tools/make_attack_matrix.py            play and write
    python tools/make_attack_matrix.py ROW ...    play these attacks alone, and write their lines
    python tools/make_attack_matrix.py --costs    play honest runs alone, and write what guards cost
    python tools/make_attack_matrix.py --check    exit 1 if an outcome is another than on the page

Outcomes follow from the seed, but for `copy` and `copy-last`: without its defences a batch keeps
the order of arrival, and which of its answers are copied is of the moment. What a defence costs in
CPU is of the machine that wrote the page.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from textwrap import fill

from page_tables import table_cells, written_table
from veilmix.analysis import drawing
from veilmix.analysis.figures import attack_matrix as matrix_figure
from veilmix.cli.commands.attack import detected
from veilmix.scenarios.studies.attack_matrix import attack, kind_of
from veilmix.scenarios.studies.attack_matrix_file import figure_of, without_occasion
from veilmix.scenarios.studies.attack_plan import ALL, NONE, helping, plan_rows, rows_of
from veilmix.scenarios.studies.executors import processes
from veilmix.scenarios.studies.matrix_result import Cell, Column, Matrix
from veilmix.scenarios.validation.load import change, load
from veilmix.scenarios.wording import plural, seeds

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "attack-matrix.md"
PICTURE = ROOT / "docs" / "images" / "attack-matrix.png"
SCENARIO, SEED, REPEATS = "blood-type", 7, 5
OPENED_HERE = {"policy.kind": "threshold", "policy.k": 3, "policy.prefixes": True}
QUICKEST = ("collude",)  # a row to be played with what guards cost
BY_CHANCE = ("copy", "copy-last")
BLOCK = re.compile(r"(<!-- (outcomes|costs|played|kinds) -->\n).*?(<!-- end -->)", re.DOTALL)
OUTCOMES = ("attack", "defence", "achieved", "of", "unit", "outcome", "detected", "released")
COSTS = (
    *("defence", "switch", "in the scenario", "CPU ms", "bytes", "messages", "steps", "crowd"),
    "false alarms",
)


def outcomes(matrix: Matrix) -> list[list[str]]:
    """The rows of the first table."""
    rows = []
    for row in matrix.rows:
        named = [column.name for column in matrix.columns if column.name in row.helping]
        for name in (NONE, *named, ALL):
            cell = matrix.cell(row.name, name)
            said = f"{cell.value:.3g}", f"{cell.of:.3g}", row.unit, _outcome(cell)
            seen = detected(cell), f"{cell.released} of {cell.runs}"
            rows.append([row.name, name, *said, *(seen if cell.runs else ("-", "-"))])
    return rows


def _outcome(cell: Cell) -> str:
    """What came of an attack, and in how many runs it found no occasion."""
    if cell.verdict == "unmet":
        return without_occasion(cell)
    return f"{cell.verdict}; {without_occasion(cell)}" if cell.unmet else cell.verdict


def costs(matrix: Matrix) -> list[list[str]]:
    """The rows of the second."""
    return [_cost(column) for column in matrix.columns]


def _cost(column: Column) -> list[str]:
    assert column.cost is not None  # noqa: S101 - this tool measures all
    price = column.cost
    half = (price.cpu_high or price.cpu) - price.cpu
    return [
        column.name,
        f"`{column.key}`",
        "on" if column.on else "off",
        f"{1000 * price.cpu:+.1f} ± {1000 * half:.1f}",
        f"{price.size:+,.0f}",
        f"{price.messages:+,.0f}",
        f"{price.steps:+,.0f}",
        "-" if price.crowd is None else f"{price.crowd:+,.1f}",
        f"{price.false_alarms} of {price.runs}",
    ]


def played(matrix: Matrix) -> str:
    """What was played, in a sentence."""
    honest = matrix.honest
    return (
        f"{matrix.scenario}: {matrix.users} people, {seeds(matrix.seed, matrix.repeats)}, every "
        f"cell played {plural(matrix.repeats, 'time')}. A run that "
        f"nobody attacks takes {1000 * honest['cpu_seconds']:.0f} ms of CPU (on the machine that "
        f"wrote this page), {honest['bytes']:,.0f} bytes and {honest['messages']:,.0f} messages.\n"
    )


def kinds() -> str:
    """Which rows are of parties that keep to the rules, in a sentence."""
    *most, last = (
        f"`{name}`" for name, row in plan_rows().items() if kind_of(row.how) == "watching"
    )
    said = (
        f"In the rows {', '.join(most)} and {last} parties watch: they keep to the rules, and use "
        "what a design error shows. In all others they cheat."
    )
    return fill(said, 118, break_on_hyphens=False) + "\n"


def block(name: str) -> str:
    """What stands on the page between the marks of this name."""
    page = PAGE.read_text("utf-8")
    return next(block.group() for block in BLOCK.finditer(page) if block.group(2) == name)


def measure(attacks: Sequence[str] = (), executor: Executor | None = None) -> Matrix:
    """Play what the page is made from, or some of its rows with the defences that help."""
    some = tuple(dict.fromkeys(name for row in attacks for name in helping(row)))
    scenario = load(SCENARIO)
    return attack(scenario, SEED, REPEATS, attacks=attacks, defences=some, executor=executor)


def measure_opened(attacks: Sequence[str] = (), executor: Executor | None = None) -> Matrix:
    """Play attacks on rows that k people open, or some: the same people, by that program."""
    scenario = change(load(SCENARIO), OPENED_HERE)
    return attack(
        scenario, SEED, REPEATS, attacks=attacks, defences=("registered",), executor=executor
    )


def all_outcomes(rows: Sequence[str], executor: Executor | None = None) -> list[list[str]]:
    """The rows of the first table that are of these attacks; of all where none is named."""
    opened = [*rows_of(change(load(SCENARIO), OPENED_HERE))]
    others = [row for row in rows if row not in opened]
    mine = [row for row in rows if row in opened]
    measured = outcomes(measure(others, executor)) if others or not rows else []
    return measured + (outcomes(measure_opened(mine, executor)) if mine or not rows else [])


def among(new: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """These lines among those of the other attacks on the page, in the order of the matrix."""
    mine = {row[0] for row in new}
    others = [row for row in table_cells(block("outcomes")) if row[0] not in mine]
    order = list(plan_rows())
    there = [row for row in (*others, *new) if row[0] in order]
    return sorted(there, key=lambda row: order.index(row[0]))


def _write(made: Mapping[str, str]) -> None:
    """Put blocks of the page anew; the others stay."""
    page = PAGE.read_text("utf-8")
    PAGE.write_text(
        BLOCK.sub(lambda block: block[1] + made.get(block[2], _inside(block)) + block[3], page),
        "utf-8",
    )


def _inside(block: re.Match[str]) -> str:
    return block[0].removeprefix(block[1]).removesuffix(block[3])


def main(arguments: list[str]) -> int:
    """Write the page, or say what is wrong with it."""
    rows = [name for name in arguments if not name.startswith("-")]
    if "--costs" in arguments:
        with processes(2) as pool:
            matrix = attack(load(SCENARIO), SEED, REPEATS, attacks=QUICKEST, executor=pool)
        _write({"costs": written_table(COSTS, costs(matrix)), "played": played(matrix)})
        return 0
    if "--check" in arguments or rows:
        with processes(2) as pool:
            lines = all_outcomes(rows, pool)
        if "--check" not in arguments:
            _write({"kinds": kinds(), "outcomes": written_table(OUTCOMES, among(lines))})
            return 0
        there = table_cells(block("outcomes"))
        wrong = [row for row in lines if row[0] not in BY_CHANCE and row not in there]
        for row in wrong:
            print(f"{PAGE}: not there: {' | '.join(row)}")
        return bool(wrong)
    with processes(2) as pool:
        matrix, opened = measure(executor=pool), measure_opened(executor=pool)
    made = {
        "outcomes": written_table(OUTCOMES, among([*outcomes(matrix), *outcomes(opened)])),
        "costs": written_table(COSTS, costs(matrix)),
        "played": played(matrix),
        "kinds": kinds(),
    }
    _write(made)
    drawing.save(matrix_figure.draw(figure_of(matrix)), PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
