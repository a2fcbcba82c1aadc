"""Write the table of docs/scale.md: the shipped census with 10^6, 10^8 and 10^9 people.

python tools/make_scale.py [--check]
"""

import sys
from collections import defaultdict

from generated import DOCS, filled, write_or_check
from veilmix.analysis.scaling import Cluster, SessionCosts
from veilmix.cli.text.scale import links, span
from veilmix.number_text import size
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.studies.costs.scale import SessionScale, scale

PAGE = DOCS / "scale.md"
BLOCK = "made by tools/make_scale.py"
SIZES = {"10^6": 10**6, "10^8": 10**8, "10^9": 10**9}


def estimates() -> list[SessionScale]:
    """One for each size."""
    census = load("census")
    crowd = samples(census, census.scenario.seed)
    return [scale(census, crowd, people, Cluster()) for people in SIZES.values()]


def table(scales: list[SessionScale]) -> str:
    """The lines of the table."""
    lines = [["", *SIZES], ["---", *["---:"] * len(scales)]]
    every = [links(predicted.link_traffic) for predicted in scales]
    hops = defaultdict[int, list[tuple[str, str, list[str]]]](list)
    for rows in zip(*every, strict=True):
        number, sender, receiver, *_ = rows[0]
        if receiver != "board":
            hops[number].append((sender, receiver, [size(row[-1]) for row in rows]))
    for number, own in hops.items():
        parties = ", ".join(["people", *(receiver for _, receiver, _ in own)])
        cells = [", ".join(cells) for cells in zip(*(cells for *_, cells in own), strict=True)]
        lines.append([f"round {number}: {parties}", *cells])
    board = [sum(row[-1] for row in rows if row[2] == "board") for rows in every]
    lines.append(["the board", *map(size, board)])
    costs = [predicted.costs for predicted in scales if predicted.costs is not None]
    lines += [
        ["core hours: people seal, open, rest", *map(hours, costs)],
        [
            "memory: one process for all, one shuffler's",
            *(f"{size(cost.memory)}, {size(cost.party)}" for cost in costs),
        ],
        ["disk, one process for all", *(size(cost.disk) for cost in costs)],
        ["wall time", *(span(cost.wall) for cost in costs)],
        ["things that break", *(str(len(predicted.broken)) for predicted in scales)],
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def hours(cost: SessionCosts) -> str:
    """Core hours to seal, to open, and for the rest."""
    return ", ".join(f"{part / 3600:,.3g}" for part in (cost.sealing, cost.opening, cost.handling))


if __name__ == "__main__":
    text = filled(PAGE.read_text("utf-8"), {BLOCK: table(estimates())})
    sys.exit(write_or_check(sys.argv[1:], {PAGE: text}))
