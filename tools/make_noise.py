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
    for left, other in pairwise(line):
        if left.shuffled <= epsilon <= other.shuffled:
            share = log(epsilon / left.shuffled) / log(other.shuffled / left.shuffled)
            return exp((1 - share) * log(left.error) + share * log(other.error))
    return None


def rows(drawn: Curves, task: str) -> Iterator[tuple[str, ...]]:
    """A family a row: its error at each crowd and epsilon, the least of a column in bold."""
    cells = {
        (family, people, epsilon): error_at(drawn[task, family, people], epsilon)
        for family in TASKS[task].families
        for people in CROWDS
        for epsilon in ASKED
    }
    for family in TASKS[task].families:
        row = [f"`{family}`"]
        for people in CROWDS:
            for epsilon in ASKED:
                own = cells[family, people, epsilon]
                every = [cells[family, people, epsilon] for family in TASKS[task].families]
                # Where one was not tried, nobody is called the best.
                best = None if None in every else min(error for error in every if error is not None)
                text = "-" if own is None else f"{100 * own:.2g} %"
                row.append(f"**{text}**" if own is not None and own == best else text)
        yield tuple(row)


def table(drawn: Curves, task: str) -> str:
    """The errors of a task in Markdown."""
    heads = ["mechanism", *(f"{n:,}: {epsilon:g}" for n in CROWDS for epsilon in ASKED)]
    lines = [heads, ["---"] * len(heads), *rows(drawn, task)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def agreement(drawn: Curves) -> str:
    """How measured errors compare with exact ones, in a sentence."""
    ratios = [
        point.measured / point.error for line in drawn.values() for point in line if point.measured
    ]
    return (
        f"{len(ratios)} measured points; measured over exact error: {min(ratios):.2f} to "
        f"{max(ratios):.2f}, mean {sum(ratios) / len(ratios):.3f}.\n"
    )


def written(page: str, drawn: Curves) -> str:
    """The page with its tables as the formulas say."""
    made = {task: table(drawn, task) for task in TASKS} | {"measured": agreement(drawn)}
    return BLOCK.sub(lambda match: match[1] + made[match[2]] + match[3], page)


if __name__ == "__main__":
    drawn = curves()
    PAGE.write_text(written(PAGE.read_text("utf-8"), drawn), "utf-8")
    drawing.save(figure(drawn), PICTURE)
    Image.open(PICTURE).quantize(COLOURS).save(PICTURE, optimize=True)
