"""What cheating coalitions learn, in a table: the worst attack of each, and when it is noticed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .layout import Grid, many, percent

if TYPE_CHECKING:
    from ...scenarios.studies.cheating import Cheated, Worst

NOTHING = "no known attack"
KEY = (
    "read: runs in which somebody's whole row, or whole released row, was read by the attackers,\n"
    "with the 95 % interval of its probability; noticed: by a burned round or an alarm that the\n"
    "board bears out, before a release was posted, after it, or never.\n"
    "These are the known attacks with the guards of this scenario: what nobody knows is not here."
)


def table(worst: "Sequence[Worst]") -> Grid:
    """A row for each coalition."""
    headings = ("who cheats", "attack", "read", "95 %", "noticed")
    return Grid(headings, [_row(one) for one in worst], (2, 3))


def _row(one: "Worst") -> tuple[str, ...]:
    people = (many(one.friends, "person", "people"),) if one.friends else ()
    who, found = " + ".join((*one.parties, *people)), one.worst
    if found is None:
        return who, NOTHING, "0", "-", "-"
    read = f"{found.read:,} of {found.runs:,}"
    return who, found.attack, read, f"{percent(found.low)} to {percent(found.high)}", seen(found)


def seen(found: "Cheated") -> str:
    """When it was noticed, in the runs in which a row was read."""
    counted = {"before": found.before, "after": found.after, "never": found.never}
    told = {when: runs for when, runs in counted.items() if runs}
    if len(told) == 1:
        return next(iter(told))
    return ", ".join(f"{when} {runs:,}" for when, runs in told.items())


def smallest(found: "Sequence[Cheated]") -> str:
    """Say which coalitions read anybody's row, of which no part does."""
    said = "; ".join(one.coalition for one in found) or f"{NOTHING} reads anybody's row"
    return f"smallest coalitions that read somebody's row by cheating: {said}"


def csv(found: "Sequence[Cheated]") -> Grid:
    """Every attack, with all its figures."""
    headings = ("attack", "coalition", "people", "runs", "read", "low", "high", "value", "of")
    rows = [
        (
            *(one.attack, "+".join(one.parties), one.friends, one.runs, one.read),
            *(one.low, one.high, one.value, one.of, one.unit, one.before, one.after, one.never),
        )
        for one in found
    ]
    return Grid((*headings, "unit", "before", "after", "never"), rows)


def notes(found: "Sequence[Cheated]") -> Iterator[str]:
    """What is to be known of the table."""
    yield KEY
    least = min((one.runs for one in found), default=0)
    yield f"{many(len(found), 'attack')} on a person, {many(least, 'run')} of each"
