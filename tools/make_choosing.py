"""Write the tables and the figure of docs/choosing.md from comparisons.

    python tools/make_choosing.py            play the scenarios and write
    python tools/make_choosing.py NAME ...   play these programs alone, and write their lines
    python tools/make_choosing.py --check    exit 1 if a table is another, seconds and bytes apart

A table stands between `<!-- compare NAME -->` and `<!-- end -->`. Seconds are those of the machine
that wrote them; all else follows from the seed.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from page_tables import LINE, table_cells, written_table
from veilmix.scenarios.comparison.compare import compare, programs
from veilmix.scenarios.comparison.result import Compared, Comparison, ProgramCost
from veilmix.scenarios.comparison.result_folder import contents
from veilmix.scenarios.validation.load import load

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "choosing.md"
FIGURES = {"census": ROOT / "docs" / "images" / "frontier-census.png"}
SEED = 4  # of the scenarios that name none
BLOCK = re.compile(r"(<!-- compare (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

HEADINGS = (
    "program", "most trusted", "bits", "linked", "guessed", "exposed", "promised", "excluded",
    "columns", "cells", "entropy", "error", "CPU s", "bytes", "rounds",
)  # fmt: skip
MEASURED = ("CPU s", "bytes")  # what does not follow from the seed alone

SIGNS = {"exact": "", "at least": "≥ ", "at most": "≤ "}


def table(comparison: Comparison) -> list[list[str]]:
    """The rows of a table, without its head."""
    return [_row(program) for program in comparison.programs]


def _row(program: Compared) -> list[str]:
    most, worth, privacy = program.trust.most_trusted, program.utility, program.privacy
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


def markdown(rows: list[list[str]]) -> str:
    """Return the rows as a table in Markdown; numbers are aligned to the right."""
    return written_table(HEADINGS, rows, [LINE, LINE, *[f"{LINE}:"] * (len(HEADINGS) - 2)])


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
    """These lines among those of other programs, in the order of a comparison."""
    order, mine = list(programs()), {_program(row) for row in new}
    rows = [row for row in there if _program(row) not in mine] + new
    return sorted(rows, key=lambda row: order.index(_program(row)))


def _program(row: list[str]) -> str:
    """The program that a line is of, which may have several."""
    return row[0].partition(" ")[0]


def main(arguments: list[str]) -> int:
    """Write the page, or say what is wrong with it."""
    some = [name for name in arguments if not name.startswith("-")]
    page, wrong = PAGE.read_text("utf-8"), []
    written = page
    for block in BLOCK.finditer(page):
        head, name, end = block.groups()
        print(f"playing {name}")
        comparison = played(name, some)
        rows = among(table(comparison), table_cells(block.group()) if some else [])
        if computed(rows) != computed(table_cells(block.group())):
            wrong.append(name)
        written = written.replace(block.group(), f"{head}{markdown(rows)}{end}")
        if name in FIGURES and not some and "--check" not in arguments:
            FIGURES[name].parent.mkdir(exist_ok=True)
            FIGURES[name].write_bytes(dict(contents(comparison, load(name)))["frontier.png"])
    if "--check" in arguments:
        for name in wrong:
            print(f"{PAGE}: the table of {name} is not what `veilmix compare {name}` gives")
        return bool(wrong)
    PAGE.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
