"""Record a matrix that is played now (docs/attack-matrix.json), with its page and its picture.

    python tools/make_attack_matrix.py            play and write
    python tools/make_attack_matrix.py ROW ...    play these attacks alone, and write their lines
    python tools/make_attack_matrix.py --costs    play honest runs alone, and write what guards cost
    python tools/make_attack_matrix.py --page     write the page again from what is recorded
    python tools/make_attack_matrix.py --check    exit 1 if an outcome is another than recorded

Outcomes follow from the seed, but for `copy` and `copy-last`: without its defences a batch keeps
the order of arrival, and which of its answers are copied is of the moment. What a defence costs in
CPU is of the machine that wrote the page.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from itertools import groupby
from textwrap import fill

from generated import DOCS, filled, record_text, write_or_check, written_table
from veilmix.analysis import drawing
from veilmix.analysis.figures import attack_matrix as matrix_figure
from veilmix.number_text import plural, seeds
from veilmix.presentation.presenters.attack_matrix import detected
from veilmix.roles.compute.executors import processes
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.studies.matrix.attack_matrix import attack, kind_of
from veilmix.scenarios.studies.matrix.attack_matrix_file import figure_of, without_occasion
from veilmix.scenarios.studies.matrix.attack_plan import (
    ALL_GUARDS,
    NONE,
    helping,
    plan_rows,
    rows_of,
)
from veilmix.scenarios.studies.matrix.matrix_result import Cell, Column, Matrix

PAGE = DOCS / "attack-matrix.md"
RECORD = DOCS / "attack-matrix.json"
PICTURE = DOCS / "images" / "attack-matrix.png"
SCENARIO, SEED, REPEATS = "blood-type", 7, 5
OPENED_HERE = {"policy.kind": "threshold", "policy.k": 3, "policy.prefixes": True}
QUICKEST = ("collude",)  # a row to be played with what guards cost
BY_CHANCE = ("copy", "copy-last")
OUTCOMES = ("attack", "defence", "achieved", "of", "unit", "outcome", "detected", "released")
COSTS = (
    *("defence", "switch", "in the scenario", "CPU ms", "bytes", "messages", "steps", "crowd"),
    "false alarms",
)
ON_PAGE = ("attack", "without a defence", "each defence alone")
COSTS_ON_PAGE = ("defence", "CPU ms", "bytes", "messages", "steps")
SIGNS = {"stopped": "●", "reduced": "◐", "works": "○", "idle": "-"}
SMALL = 1_000  # bytes of a run: a defence that adds fewer, and nothing else, has no line of its own


def outcomes(matrix: Matrix) -> list[list[str]]:
    """Return what is recorded of attacks, with OUTCOMES as headings."""
    rows = []
    for row in matrix.rows:
        named = [column.name for column in matrix.columns if column.name in row.helping]
        for name in (NONE, *named, ALL_GUARDS):
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
    """Return what is recorded of costs, with COSTS as headings."""
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
        f"wrote this page), {honest['bytes']:,.0f} bytes and {honest['messages']:,.0f} messages."
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


def recorded() -> dict[str, list[list[str]]]:
    """Return the rows that are recorded of attacks and costs."""
    record: dict[str, list[list[str]]] = json.loads(RECORD.read_text("utf-8"))
    return record


def outcomes_on_page(rows: Sequence[Sequence[str]]) -> str:
    """Return a line for each attack that achieves something, and sentences on the rest."""
    lines, idle, alike = list[tuple[str, ...]](), list[str](), list[str]()
    united = dict[str, list[str]]()  # the outcomes of all defences together, with their attacks
    for name, group in groupby(rows, key=lambda row: row[0]):
        first, *alone, last = group
        if {row[5] for row in (first, *alone, last)} == {"idle"}:
            tried = ", ".join(f"`{row[1]}`" for row in alone)
            idle.append(f"`{name}`" + (f" ({tried})" if tried else ""))
            continue
        each = ", ".join(f"`{row[1]}` {_cell(row, first)}" for row in alone)
        without = f"{first[2]} of {first[3]} {first[4]}{_marks(first, ',')}"
        if each:
            lines.append((f"`{name}`", without, each))
        else:
            alike.append(f"`{name}` ({without})")
        united.setdefault(_cell(last, first), []).append(f"`{name}`")
    equal = dict[tuple[str, ...], list[str]]()
    for name, *line in lines:
        equal.setdefault(tuple(line), []).append(name)
    table = written_table(ON_PAGE, ((", ".join(names), *line) for line, names in equal.items()))
    sentences = [
        *([f"No defence is said to help against {', '.join(alike)}."] if alike else []),
        *([_all_together(united)] if united else []),
        f"Idle here, without and with (in brackets) each defence: {', '.join(idle)}.",
    ]
    return "\n".join(
        [table, *(f"{fill(text, 118, break_on_hyphens=False)}\n" for text in sentences)]
    )


def _all_together(united: Mapping[str, Sequence[str]]) -> str:
    """The outcomes of all defences together: the most frequent one last, without its attacks."""
    most = max(united, key=lambda cell: len(united[cell]))
    parts = [f"{cell} {', '.join(names)}" for cell, names in united.items() if cell != most]
    return f"All defences together: {'; '.join([*parts, f'{most} all others'])}."


def _cell(row: Sequence[str], first: Sequence[str]) -> str:
    verdict, _, unmet = row[5].partition("; ")
    number = "" if verdict == "stopped" or row[2] == first[2] else f" {row[2]}"
    also = f" ({unmet})" if unmet else ""
    return f"{SIGNS.get(verdict, verdict)}{number}{_marks(row)}{also}"


def _marks(row: Sequence[str], before: str = "") -> str:
    """Return in how many runs there was an alarm, if any, and a release, if not in all."""
    alarms, released = (cell.partition(" of ")[0] for cell in row[6:8])
    seen = "" if alarms in ("0", "-") else f" a{alarms}"
    everywhere = row[7] == "-" or released == row[7].partition(" of ")[2]
    marks = seen + ("" if everywhere else f" r{released}")
    return f"{before}{marks}" if marks else ""


def costs_on_page(rows: Sequence[Sequence[str]]) -> str:
    """Return a line for each defence that costs more than CPU, and a sentence for the others."""
    some = [row for row in rows if _has_cost(row)]
    others = [row for row in rows if not _has_cost(row)]
    table = written_table(COSTS_ON_PAGE, ([f"`{row[0]}`", *row[3:7]] for row in some))
    changed = [f"{row[7]} (`{row[0]}`)" for row in some if row[7] != "-" and _number(row[7])]
    crowds = f"Crowds change by {', '.join(changed)}, else not. " if changed else ""
    return f"{table}\n{fill(crowds + _cheap(others), 118, break_on_hyphens=False)}\n"


def _cheap(rows: Sequence[Sequence[str]]) -> str:
    names = ", ".join(f"`{row[0]}`" for row in rows)
    most = max(abs(_number(row[4])) for row in rows)
    lowest, highest = (pick(rows, key=lambda row: _number(row[3]))[3] for pick in (min, max))
    return (
        f"{names} add no message, no step and at most {most:,.0f} bytes, and take {lowest} to "
        f"{highest} ms of CPU."
    )


def _has_cost(row: Sequence[str]) -> bool:
    """Whether a defence costs messages, steps, crowd, or more than a few bytes."""
    return abs(_number(row[4])) >= SMALL or any(_number(cell) for cell in row[5:8] if cell != "-")


def _number(cell: str) -> float:
    return float(cell.partition(" ")[0].replace(",", ""))


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
    """Return these rows among those recorded of other attacks, in the order of the matrix."""
    mine = {row[0] for row in new}
    others = [row for row in recorded()["outcomes"] if row[0] not in mine]
    order = list(plan_rows())
    there = [row for row in (*others, *new) if row[0] in order]
    return sorted(there, key=lambda row: order.index(row[0]))


def page(record: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """Return the page as it is to be."""
    made = {
        "outcomes": outcomes_on_page(record["outcomes"]),
        "costs": costs_on_page(record["costs"]),
        "played": f"{record['played']}\n",
        "kinds": kinds(),
    }
    return filled(PAGE.read_text("utf-8"), made)


def _write(made: Mapping[str, object]) -> None:
    """Record what was played anew; the rest stays."""
    record = {**recorded(), **made}
    write_or_check([], {RECORD: record_text(record), PAGE: page(record)})


def main(arguments: list[str]) -> int:
    """Write the page, or say what is wrong with it."""
    rows = [name for name in arguments if not name.startswith("-")]
    if "--page" in arguments:
        _write({})
        return 0
    if "--costs" in arguments:
        with processes(2) as pool:
            matrix = attack(load(SCENARIO), SEED, REPEATS, attacks=QUICKEST, executor=pool)
        _write({"costs": costs(matrix), "played": played(matrix)})
        return 0
    if "--check" in arguments or rows:
        with processes(2) as pool:
            lines = all_outcomes(rows, pool)
        if "--check" not in arguments:
            _write({"outcomes": among(lines)})
            return 0
        there = recorded()["outcomes"]
        wrong = [row for row in lines if row[0] not in BY_CHANCE and row not in there]
        for row in wrong:
            print(f"{RECORD}: not there: {' | '.join(row)}")
        return bool(wrong)
    with processes(2) as pool:
        matrix, opened = measure(executor=pool), measure_opened(executor=pool)
    rows_played = [*outcomes(matrix), *outcomes(opened)]
    _write({"outcomes": among(rows_played), "costs": costs(matrix), "played": played(matrix)})
    drawing.save(matrix_figure.draw(figure_of(matrix)), PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
