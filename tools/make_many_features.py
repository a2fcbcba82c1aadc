"""Write the table and the picture of many features of docs/randomized.md.

python tools/make_many_features.py    docs/randomized.md and docs/images/many-features.png
"""

from collections.abc import Sequence
from math import exp, inf, log

import numpy as np
from generated import DOCS, filled, save_picture, write_or_check
from veilmix.analysis.figures.many_features import (
    CROWDS,
    FEATURES,
    WAYS,
    BudgetPoint,
    Make,
    curve,
    error_of,
    figure,
    local_crossing,
    question,
)
from veilmix.analysis.randomizers import GRR, Pure

PAGE = DOCS / "randomized.md"
PICTURE = DOCS / "images" / "many-features.png"
COLOURS = 64  # of the palette
LOCALLY = (
    "At local epsilon 1 `split` has {:.1f} times the variance of `sample` (the noise alone: {:.1f} "
    "times). The lines cross at a local epsilon of {:.1f} nats."
)
ASKED = (0.1, 0.3, 1.0, 3.0)  # epsilon after shuffling, nats


def ten_values(epsilon: float) -> Pure:
    """A question with ten answers, by randomized response."""
    return GRR(10, epsilon)


def error_at(line: Sequence[BudgetPoint], epsilon: float, *, end: str) -> float:
    """Return the error of a line at an epsilon after shuffling; infinite outside of the line.

    Between two budgets the line is straight in logarithms.

    Args:
        line: of one way and crowd.
        epsilon: nats.
        end: "low" or "high": the bound that is read.
    """
    x = [log(getattr(spot, end)) for spot in line]
    y = [log(spot.error) for spot in line]
    if not x[0] <= log(epsilon) <= x[-1]:
        return inf
    return exp(float(np.interp(log(epsilon), x, y)))


def verdict(split: Sequence[BudgetPoint], sample: Sequence[BudgetPoint], epsilon: float) -> str:
    """Return the better way at an epsilon after shuffling, where the bounds decide it.

    A way is better if its error at its upper bound is below that of the other at its lower bound.
    """
    ways = {"split": split, "sample": sample}
    for way, rival in (WAYS, WAYS[::-1]):
        if (
            error_at(ways[way], epsilon, end="high")
            < error_at(ways[rival], epsilon, end="low")
            < inf
        ):
            return way
    return "undecided"


QUESTIONS = {"two": question, "ten": ten_values}


def table() -> str:
    """The local comparison in words, and the errors after shuffling as a table."""
    people = CROWDS[-1]
    split, sample = (error_of(way, 1.0, people) for way in WAYS)
    noise = question(1.0 / FEATURES).noise(), FEATURES * question(1.0).noise()
    lines = [
        LOCALLY.format((split / sample) ** 2, noise[0] / noise[1], local_crossing(people)),
        "",
        "| answers, people | " + " | ".join(f"epsilon {epsilon:g}" for epsilon in ASKED) + " |",
        "| --- " * (1 + len(ASKED)) + "|",
    ]
    for answers, make in QUESTIONS.items():
        lines += [row(answers, make, people) for people in CROWDS]
    return "\n".join(lines) + "\n"


def row(answers: str, make: Make, people: int) -> str:
    """Return the errors of both ways at each epsilon that both reach with the budgets tried."""
    known = {way: curve(way, people, make) for way in WAYS}
    cells = [f"{answers}, {people:,}"]
    for epsilon in ASKED:
        both = [_between(known[way], epsilon) for way in WAYS]
        best = verdict(known["split"], known["sample"], epsilon)
        marked = [
            f"**{cell}**" if way == best else cell for way, cell in zip(WAYS, both, strict=True)
        ]
        cells.append("-" if "-" in both else " / ".join(marked))
    return f"| {' | '.join(cells)} |"


def _between(line: Sequence[BudgetPoint], epsilon: float) -> str:
    """The error at the lower bound of epsilon and at the upper one; `-` outside of the budgets."""
    ends = [error_at(line, epsilon, end=end) for end in ("low", "high")]
    if max(ends) > 1e9:
        return "-"
    low, high = (f"{100 * error:.3g}" for error in ends)
    return high if low == high else f"{low} to {high}"


def main() -> None:
    """Write both."""
    write_or_check([], {PAGE: filled(PAGE.read_text("utf-8"), {"many features": table()})})
    save_picture(figure(), PICTURE, COLOURS)


if __name__ == "__main__":
    main()
