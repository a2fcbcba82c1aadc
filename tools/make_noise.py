"""Write the tables and the picture of docs/noise.md from exact formulas and drawn reports.

python tools/make_noise.py            write docs/noise.md and docs/images/noise.png (minutes)
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log
from pathlib import Path

from PIL import Image
from veilmix.analysis import drawing
from veilmix.analysis.figures.noise import CROWDS, TASKS, Curves, Point, curves, figure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "noise.md"
PICTURE = ROOT / "docs" / "images" / "noise.png"
BLOCK = re.compile(r"(<!-- (shares|mean|ranges|measured) -->\n).*?(<!-- end -->)", re.DOTALL)
COLOURS = 64  # of the palette
ASKED = (0.1, 0.3, 1.0)  # epsilon after shuffling


def error_at(line: Sequence[Point], epsilon: float) -> float | None:
    """The error that this epsilon after shuffling buys; None outside the budgets tried."""
    for one, other in pairwise(line):
        if one.shuffled <= epsilon <= other.shuffled:
            share = log(epsilon / one.shuffled) / log(other.shuffled / one.shuffled)
            return exp((1 - share) * log(one.error) + share * log(other.error))
    return None


def rows(found: Curves, task: str) -> Iterator[tuple[str, ...]]:
    """A family a row: its error at each crowd and epsilon, the least of a column in bold."""
    cells = {
        (family, people, epsilon): error_at(found[task, family, people], epsilon)
        for family in TASKS[task].families
        for people in CROWDS
        for epsilon in ASKED
    }
    for family in TASKS[task].families:
        row = [f"`{family}`"]
        for people in CROWDS:
            for epsilon in ASKED:
                own = cells[family, people, epsilon]
                every = [cells[one, people, epsilon] for one in TASKS[task].families]
                # Where one was not tried, nobody is called the best.
                best = None if None in every else min(one for one in every if one is not None)
                text = "-" if own is None else f"{100 * own:.2g} %"
                row.append(f"**{text}**" if own is not None and own == best else text)
        yield tuple(row)


def table(found: Curves, task: str) -> str:
    """The errors of a task in Markdown."""
    heads = ["mechanism", *(f"{n:,}: {epsilon:g}" for n in CROWDS for epsilon in ASKED)]
    lines = [heads, ["---"] * len(heads), *rows(found, task)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def agreement(found: Curves) -> str:
    """How measured errors compare with exact ones, in a sentence."""
    ratios = [one.measured / one.error for line in found.values() for one in line if one.measured]
    return (
        f"{len(ratios)} measured points; measured over exact error: {min(ratios):.2f} to "
        f"{max(ratios):.2f}, mean {sum(ratios) / len(ratios):.3f}.\n"
    )


def written(page: str, found: Curves) -> str:
    """The page with its tables as the formulas say."""
    made = {task: table(found, task) for task in TASKS} | {"measured": agreement(found)}
    return BLOCK.sub(lambda match: match[1] + made[match[2]] + match[3], page)


if __name__ == "__main__":
    found = curves()
    PAGE.write_text(written(PAGE.read_text("utf-8"), found), "utf-8")
    drawing.save(figure(found), PICTURE)
    Image.open(PICTURE).quantize(COLOURS).save(PICTURE, optimize=True)
