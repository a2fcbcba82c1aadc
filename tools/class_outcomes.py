"""Prints how often a class publishes something, by people and by how many phones fall silent.

    python tools/class_outcomes.py

A phone falls silent in a round with the same probability as every other, independently; who was
silent in the first is not asked in the second. The numbers are exact sums, not samples: for each
number of silent phones the guards of protocol/wire/crowd_limits.py say what is published.
"""

from collections.abc import Callable
from functools import cache
from math import comb

from veilmix.errors import RoundBurned
from veilmix.protocol.wire.crowd_limits import check_batch_size, check_rounds

BATCH, DROPOUT = 5, 3  # of the questions of `poll --demo`
PEOPLE = (8, 30, 200)
SILENT = (0.01, 0.05, 0.1, 0.2)


def passes(check: Callable[[], object]) -> bool:
    """Whether a round goes on."""
    try:
        check()
    except RoundBurned:
        return False
    return True


@cache
def together(first: int, second: int) -> bool:
    """Whether the questions are published together. first, second: people in the two rounds."""
    return passes(lambda: check_batch_size(second, BATCH)) and passes(
        lambda: check_rounds([first], second, DROPOUT)
    )


def chance(people: int, silent: float, among: int) -> float:
    """Return the probability that so many of some people are silent."""
    return comb(among, people) * silent**people * (1 - silent) ** (among - people)


def outcomes(people: int, silent: float) -> tuple[float, float]:
    """Return the probabilities that questions are published together, and that anything is.

    Args:
        people: phones that have joined.
        silent: probability of one phone to be silent in one round, 0 to 1.
    """
    both = anything = 0.0
    for lost in range(people + 1):
        first, weight = people - lost, chance(lost, silent, people)
        if not passes(lambda: check_batch_size(first, BATCH)):  # noqa: B023 - called at once
            continue
        anything += weight
        both += weight * sum(
            chance(gone, silent, first)
            for gone in range(first + 1)
            if together(first, first - gone)
        )
    return both, anything


def table() -> list[str]:
    """Give the table as lines of Markdown."""
    head = [f"{100 * silent:g}% silent" for silent in SILENT]
    rows = ["| people | " + " | ".join(head) + " |", "|---" * (len(SILENT) + 1) + "|"]
    for people in PEOPLE:
        cells = [
            f"{100 * both:.1f}/{100 * anything:.1f}"
            for both, anything in (outcomes(people, silent) for silent in SILENT)
        ]
        rows.append(f"| {people} | " + " | ".join(cells) + " |")
    return rows


if __name__ == "__main__":
    print("\n".join(table()))
