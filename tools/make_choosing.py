"""Record comparisons (docs/choosing.json), and write the tables and the figure of docs/choosing.md.

    python tools/make_choosing.py            play the scenarios and write
    python tools/make_choosing.py NAME ...   play these programs alone, and write their rows
    python tools/make_choosing.py --page     write the page again from what is recorded
    python tools/make_choosing.py --check    exit 1 if a row is another, seconds and bytes apart

Tables stand between `<!-- compare NAME -->` and `<!-- end -->`. Seconds are those of the machine
that recorded them; all else follows from the seed.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence

from generated import DOCS, LINE, filled, record_text, write_or_check, written_table
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.comparison.compare import compare, programs
from veilmix.scenarios.studies.comparison.result import Compared, Comparison, ProgramCost
from veilmix.scenarios.studies.comparison.result_folder import contents

PAGE = DOCS / "choosing.md"
RECORD = DOCS / "choosing.json"
FIGURES = {"census": DOCS / "images" / "frontier-census.png"}
SEED = 4  # of the scenarios that name none

HEADINGS = (
    "program", "most trusted", "bits", "linked", "guessed", "exposed", "promised", "excluded",
    "columns", "cells", "entropy", "error", "CPU s", "bytes", "rounds",
)  # fmt: skip
ON_PAGE = ("program", "bits", "guessed", "exposed", "promised", "cells", "error", "CPU s", "bytes")
NOISE = ("noise", "ε = 1", "ε = 2", "ε = 4", "CPU s", "bytes")
BUDGET = re.compile(r"(.*) e=([\d.]+)")
MEASURED = ("CPU s", "bytes")  # what does not follow from the seed alone

SIGNS = {"exact": "", "at least": "≥ ", "at most": "≤ "}


def table(comparison: Comparison) -> list[list[str]]:
    """Return the rows of a comparison, with HEADINGS as headings."""
    return [_row(program) for program in comparison.programs]


def _row(program: Compared) -> list[str]:
    most, worth, privacy = program.trust.largest_party_leakage, program.utility, program.privacy
    noise = privacy.epsilon is not None
    promised = "-" if privacy.promised is None else f"{privacy.promised:.1%}"
    error = f"{worth.mean:.3f}"
    if worth.mean_limits is not None:
        error += f" ({worth.mean_limits[0]:.3f} to {worth.mean_limits[1]:.3f})"
    return [
        program.program,
        most.parties[0],
        SIGNS[most.bits_are] + f"{most.bits_per_person:.2f}",
        f"{most.linked:,}" + (" reports" if most.reports and most.linked else ""),
        "-" if most.rows_guessed is None else f"{most.rows_guessed:.1%}",
        "no rows" if noise else f"{privacy.true:.1%}",
        f"ε = {privacy.epsilon:g}" if noise else promised,
        privacy.exclusion,
        str(len(worth.columns)),
        f"{worth.cells:.1%}",
        f"{worth.entropy:.2f}",
        error,
        _seconds(program.cost),
        f"{program.cost.bytes:,.0f}",
        str(program.cost.rounds),
    ]


def _seconds(price: ProgramCost) -> str:
    if price.cpu_limits is None:
        return f"{price.cpu:.2f}"
    return f"{price.cpu:.1f} ± {(price.cpu_limits[1] - price.cpu_limits[0]) / 2:.1f}"


def recorded() -> dict[str, list[list[str]]]:
    """Return the rows that are recorded of each scenario, with HEADINGS as headings."""
    record: dict[str, list[list[str]]] = json.loads(RECORD.read_text("utf-8"))
    return record


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return the tables of a scenario: programs that release rows, and programs with noise."""
    named = [dict(zip(HEADINGS, row, strict=True)) for row in rows]
    releasing = [[row[name] for name in ON_PAGE] for row in named if not _budget(row["program"])]
    lines = [LINE, *[f"{LINE}:"] * (len(ON_PAGE) - 1)]
    return f"{written_table(ON_PAGE, releasing, lines)}\n{written_table(NOISE, _noisy(named))}"


def _noisy(rows: Sequence[dict[str, str]]) -> Iterator[list[str]]:
    """Yield a line for each program with noise: its error without limits, bits and guesses."""
    programs = dict.fromkeys(_budget(row["program"]) for row in rows)
    for program in filter(None, programs):
        same = [row for row in rows if _budget(row["program"]) == program]
        if len(same) != len(NOISE) - 3:
            raise ValueError(f"{program}: {len(same)} budgets, and the page has columns for 3")
        errors = (row["error"].partition(" ")[0] for row in same)
        cells = [
            f"{e}, {row['bits']}, {row['guessed']}" for e, row in zip(errors, same, strict=True)
        ]
        yield [program, *cells, same[0]["CPU s"], same[0]["bytes"]]


def _budget(program: str) -> str:
    """Return the name of a program with noise, without its budget; empty for others."""
    match = BUDGET.fullmatch(program)
    return match[1] if match else ""


def computed(rows: list[list[str]]) -> list[list[str]]:
    """Rows without what is measured."""
    return [
        [cell for name, cell in zip(HEADINGS, row, strict=False) if name not in MEASURED]
        for row in rows
    ]


def played(name: str, only: Sequence[str] = ()) -> Comparison:
    """Compare a scenario, by its own seed or by ours; by all programs or by some."""
    scenario = load(name)
    return compare(scenario, SEED if scenario.scenario.seed is None else None, only=only)


def among(new: list[list[str]], there: list[list[str]]) -> list[list[str]]:
    """Return these rows among those of other programs, in the order of a comparison."""
    order, mine = list(programs()), {_program(row) for row in new}
    rows = [row for row in there if _program(row) not in mine] + new
    return sorted(rows, key=lambda row: order.index(_program(row)))


def _program(row: list[str]) -> str:
    """The program that a line is of, which may have several."""
    return row[0].partition(" ")[0]


def page(record: dict[str, list[list[str]]]) -> str:
    """Return the page as it is to be."""
    blocks = {f"compare {name}": markdown(rows) for name, rows in record.items()}
    return filled(PAGE.read_text("utf-8"), blocks)


def main(arguments: list[str]) -> int:
    """Write record and page, or say what is wrong with the record."""
    some = [name for name in arguments if not name.startswith("-")]
    record, wrong = recorded(), []
    for name in () if "--page" in arguments else tuple(record):
        print(f"playing {name}")
        comparison = played(name, some)
        rows = among(table(comparison), record[name] if some else [])
        if computed(rows) != computed(record[name]):
            wrong.append(name)
        record[name] = rows
        if name in FIGURES and not some and "--check" not in arguments:
            FIGURES[name].parent.mkdir(exist_ok=True)
            FIGURES[name].write_bytes(dict(contents(comparison, load(name)))["frontier.png"])
    if "--check" in arguments:
        for name in wrong:
            print(f"{RECORD}: the rows of {name} are not what `veilmix compare {name}` gives")
        return bool(wrong)
    return write_or_check([], {RECORD: record_text(record), PAGE: page(record)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
