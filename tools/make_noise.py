"""Write the tables and the picture of docs/noise.md from exact formulas, drawn reports and runs.

python tools/make_noise.py            write docs/noise.md and docs/images/noise.png (minutes)
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np
import veilmix
from generated import DOCS, filled, save_picture, write_or_check, written_table
from veilmix.analysis.figures.noise import (
    CROWDS,
    DELTA,
    PAIRS,
    QUESTIONS,
    TASKS,
    Curves,
    NoisePoint,
    curves,
    figure,
    squared_error,
)
from veilmix.analysis.randomizers import PrefixTree
from veilmix.analysis.shuffled.amplification import report_epsilon
from veilmix.scenarios.lab.validation.load import loads

PAGE = DOCS / "noise.md"
PICTURE = DOCS / "images" / "noise.png"
COLOURS = 64  # of the palette
ASKED = (0.1, 0.3, 1.0)  # epsilon after shuffling
FOUND, LONGEST = (1.0, 3.0, 6.0), 8  # local epsilon, and bytes of texts that nobody listed
PLAYED = {
    "shares": 2,
    "mean": 10,
    "answers": 10,
    "ranges": 3,
    "keys": 4,
}  # runs of a point: a mean is one number
SCENARIO = """[scenario]
name = "noise"
[population]
source = "builtin:uniform"
users = {people}
{features}[mix]
shufflers = 2
min_batch = {people}
[policy]
kind = "histogram"
[local]
mechanism = "{family}"
epsilon = {local}
"""


def played(task: str, family: str, local: float) -> tuple[float, int]:
    """Mean squared error of real runs of the smallest crowd, through the mix; how many runs."""
    values = TASKS[task].values
    texts = [f'"{x}"' if task in ("mean", "ranges") else f'"v{x}"' for x in range(values)]
    if task == "keys":
        texts = [f'"{text}"' for text in PAIRS]
    features = "".join(
        f'[[feature]]\nname = "f{i}"\nvalues = [{", ".join(texts)}]\n'
        for i in range(QUESTIONS if task == "answers" else 1)
    )
    scenario = loads(
        SCENARIO.format(people=CROWDS[0], features=features, family=family, local=local)
    )
    errors = [
        error_of_run(task, veilmix.run(scenario, seed, "real", worst_case_nodes=0).result())
        for seed in range(PLAYED[task])
    ]
    return float(np.mean(errors)), len(errors)


def error_of_run(task: str, result: Any) -> float:
    """Mean squared error of what a run estimated, in the unit of the task."""
    findings = result["findings"]
    if task == "mean":
        mean = findings["measured"][0]["measures"][0]
        return float(((mean["estimate"] - mean["truth"]) / (TASKS[task].values - 1)) ** 2)
    if task == "keys":
        shares = findings["measured"][0]["measures"][::2]
        return float(np.mean([(share["estimate"] - share["truth"]) ** 2 for share in shares]))
    errors = [
        np.subtract(feature["unbiased"], feature["truth"]) for feature in findings["features"]
    ]
    return float(np.mean([squared_error(task, error) for error in errors]))


def error_at(line: Sequence[NoisePoint], epsilon: float) -> float | None:
    """The error that this epsilon after shuffling buys; None outside the budgets tried."""
    for left, other in pairwise(line):
        if left.shuffled <= epsilon <= other.shuffled:
            share = log(epsilon / left.shuffled) / log(other.shuffled / left.shuffled)
            return exp((1 - share) * log(left.error) + share * log(other.error))
    return None


def rows(drawn: Curves, task: str) -> Iterator[tuple[str, ...]]:
    """A family a row: its errors at each crowd, in percent, the least at an epsilon in bold."""
    cells = {
        (family, people, epsilon): error_at(drawn[task, family, people], epsilon)
        for family in TASKS[task].families
        for people in CROWDS
        for epsilon in ASKED
    }
    for family in TASKS[task].families:
        row = [f"`{family}`"]
        for people in CROWDS:
            errors = list[str]()
            for epsilon in ASKED:
                own = cells[family, people, epsilon]
                every = [cells[family, people, epsilon] for family in TASKS[task].families]
                # Where one was not tried, nobody is called the best.
                best = None if None in every else min(error for error in every if error is not None)
                text = "-" if own is None else f"{100 * own:.2g}"
                errors.append(f"**{text}**" if own is not None and own == best else text)
            row.append(", ".join(errors))
        yield tuple(row)


def table(drawn: Curves, task: str) -> str:
    """The errors of a task in Markdown."""
    return written_table(["mechanism", *(f"{n:,}" for n in CROWDS)], rows(drawn, task))


def texts() -> str:
    """From which share on a text that nobody listed is found, in Markdown."""
    heads = ["mechanism, local epsilon", *(f"{n:,}" for n in CROWDS)]
    lines = list[list[str]]()
    for local in FOUND:
        for name, make in (("prefix-hash", PrefixTree), ("prefix-bit", PrefixTree.binary)):
            tree, cells = make(("a", "b"), local, width=LONGEST), []
            for people in CROWDS:
                share, after = tree.smallest_share(people), report_epsilon(people, tree, DELTA).high
                text = "-" if share > 1 else f"{100 * share:.2g}"
                cells.append(f"{text} ({after:.3g})")
            lines.append([f"`{name}`, {local:g}", *cells])
    return written_table(heads, lines)


def agreement(drawn: Curves, *, runs: bool) -> str:
    """How measured errors compare with exact ones, in a sentence."""
    points = [spot for line in drawn.values() for spot in line if spot.measured]
    ratios = [(spot.measured or 0.0) / spot.error for spot in points if bool(spot.runs) is runs]
    what = f"points of {sum(spot.runs for spot in points)} real runs" if runs else "drawn points"
    return (
        f"{len(ratios)} {what}; measured over exact error: {min(ratios):.2f} to "
        f"{max(ratios):.2f}, mean {sum(ratios) / len(ratios):.3f}.\n"
    )


def written(page: str, drawn: Curves) -> str:
    """The page with its tables as the formulas say."""
    made = {task: table(drawn, task) for task in TASKS}
    made |= {"measured": agreement(drawn, runs=False), "played": agreement(drawn, runs=True)}
    made["texts"] = texts()
    return filled(page, made)


if __name__ == "__main__":
    drawn = curves(played)
    write_or_check([], {PAGE: written(PAGE.read_text("utf-8"), drawn)})
    save_picture(figure(drawn), PICTURE, COLOURS)
