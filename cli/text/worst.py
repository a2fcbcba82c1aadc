"""The worst table in words for people, and as plain data for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...scenarios.serialization.record import Record
from .layout import Grid, Page, clean, lay_out, many, percent, say

if TYPE_CHECKING:
    from ...analysis.composition import WorstCase
    from ...analysis.composition.worst_bracket import Step


class Stage(Record, frozen=True):
    """Where the bracket became narrower.

    Attributes:
        doing: what the search did then.
        found: people exposed in the worst table met by then.
        at_most: no table with these columns exposes more, as proved by then.
    """

    doing: str
    found: int
    at_most: int


class WorstRecord(Record, frozen=True):
    """What `veilmix worst` prints with `--format json`.

    Attributes:
        file: name of the table.
        columns: their names.
        users: people in the table.
        k: crowd size.
        found: people exposed in the worst table that was found.
        at_most: no table with these columns exposes more.
        proven: whether the two are one.
        why: the search ended; empty where it is proven.
        rounds: of swaps, at most.
        nodes: of every search tree, at most.
        seed: of what is swapped.
        stages: where the bracket became narrower, in order.
    """

    file: str
    columns: tuple[str, ...]
    users: int
    k: int
    found: int
    at_most: int
    proven: bool
    why: str
    rounds: int
    nodes: int
    seed: int
    stages: tuple[Stage, ...]


class Way:
    """The stages of a search, kept while it is told."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []

    def told(self, step: "Step") -> str:
        """Keep what is new; give the line to show."""
        last = self.stages[-1] if self.stages else None
        if last is None or (last.found, last.at_most) != (step.people, step.upper):
            self.stages.append(Stage(step.doing, step.people, step.upper))
        return f"the worst table: {step}"


def tell(console: Page, worst: "WorstCase", way: Way, called: str, columns: Sequence[str]) -> None:
    """Print the bracket, how it came about and why it is no narrower."""
    named = ", ".join(columns)
    say(console, clean(f"{called}  {worst.n:,} people, {many(len(columns), 'column')}: {named}"))
    say(
        console,
        f"\npeople in a crowd smaller than k = {worst.k} in the worst table with these columns",
    )
    lay_out(console, Grid(("", "people", "share"), list(_ends(worst)), (1, 2)))
    say(console, "\nhow the search came to it")
    rows = [(stage.doing, f"{stage.found:,}", f"{stage.at_most:,}") for stage in way.stages]
    lay_out(console, Grid(("", "found", "at most"), rows, (1, 2)))
    say(console, f"\nended: {worst.why or 'proved, no table is worse'}")


def _ends(worst: "WorstCase") -> Iterator[tuple[str, str, str]]:
    if worst.proven:
        how = " by cases, in whole numbers" if worst.proof else ""
        people = f"{worst.people:,}", percent(worst.people / worst.n)
        yield f"exactly: found, and proved{how}", *people
        return
    counted = "found: a table that was counted"
    if worst.table is None:
        counted = "in every table with these columns, at least"
    yield counted, f"{worst.people:,}", percent(worst.people / worst.n)
    yield "at most, as far as proved", f"{worst.upper:,}", percent(worst.upper / worst.n)


def tidy(way: Way) -> Grid:
    """A stage a line."""
    rows = [(stage.doing, stage.found, stage.at_most) for stage in way.stages]
    return Grid(("doing", "found", "at_most"), rows, (1, 2))


def worst_record(
    worst: "WorstCase",
    way: Way,
    limits: tuple[int, int, int],
    called: str,
    columns: Sequence[str],
) -> WorstRecord:
    """The same as plain data. limits: rounds, nodes and seed."""
    rounds, nodes, seed = limits
    return WorstRecord(
        called,
        tuple(columns),
        worst.n,
        worst.k,
        worst.people,
        worst.upper,
        worst.proven,
        worst.why,
        rounds,
        nodes,
        seed,
        tuple(way.stages),
    )
