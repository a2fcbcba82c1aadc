"""The output of `veilmix worst`: the table with given column counts that exposes most people.

The maximum is bracketed by a table that was found and an upper bound that was proved. For people in
lines and tables, for programs as a record.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...presentation.text_blocks import Grid, Line
from ...scenarios.serialization.record import Record

if TYPE_CHECKING:
    from ...analysis.composition import WorstCase
    from ...analysis.composition.worst_bracket import SearchStep
    from ...presentation.blocks import Block


class BracketStage(Record, frozen=True):
    """A step of the search that narrowed the bracket around the maximum of exposed people.

    Attributes:
        doing: the phase of the search.
        found: people exposed in the worst table found so far.
        at_most: the upper bound proved so far, over all tables with these columns.
    """

    doing: str
    found: int
    at_most: int


class WorstRecord(Record, frozen=True):
    """The record that `veilmix worst` prints with `--format json`.

    Attributes:
        file: name of the table.
        columns: their names.
        users: people in the table.
        k: crowd size.
        found: people exposed in the worst table that was found.
        at_most: upper bound on exposed people, over all tables with these columns.
        proven: whether the two are equal.
        why: the reason why the search ended; empty if it is proven.
        rounds: limit of rounds of swaps.
        nodes: limit of nodes of every search tree.
        seed: seed of the swaps.
        stages: the steps that narrowed the bracket, in order.
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
    stages: tuple[BracketStage, ...]


class Way:
    """The steps of a search for the worst table, collected while the search runs.

    Attributes:
        stages: the steps that narrowed the bracket, in order.
    """

    def __init__(self) -> None:
        """Start without steps of the search."""
        self.stages: list[BracketStage] = []

    def step_line(self, step: "SearchStep") -> str:
        """Keep a step if it narrows the bracket; return the line that shows it as progress."""
        last = self.stages[-1] if self.stages else None
        if last is None or (last.found, last.at_most) != (step.people, step.upper):
            self.stages.append(BracketStage(step.doing, step.people, step.upper))
        return f"the worst table: {step}"


def bracket_blocks(
    worst: "WorstCase", way: Way, called: str, columns: Sequence[str]
) -> Iterator["Block"]:
    """Yield the bracket of the maximum, the steps to it, and the reason why the search ended.

    way: the steps. called: the name of the table's file. columns: the names of its columns.
    """
    named = ", ".join(columns)
    yield Line(f"{called}  {worst.n:,} people, {plural(len(columns), 'column')}: {named}")
    yield Line(
        f"\npeople in a crowd smaller than k = {worst.k} in the worst table with these columns"
    )
    yield Grid(("", "people", "share"), list(_ends(worst)), (1, 2))
    yield Line("\nhow the search came to it")
    rows = [(stage.doing, f"{stage.found:,}", f"{stage.at_most:,}") for stage in way.stages]
    yield Grid(("", "found", "at most"), rows, (1, 2))
    yield Line(f"\nended: {worst.why or 'proved, no table is worse'}")


def _ends(worst: "WorstCase") -> Iterator[tuple[str, str, str]]:
    """Yield rows (meaning, people, share): the maximum if it is proved, else its two bounds."""
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
    """Return the steps of the search as a table for CSV."""
    rows = [(stage.doing, stage.found, stage.at_most) for stage in way.stages]
    return Grid(("doing", "found", "at_most"), rows, (1, 2))


def worst_record(
    worst: "WorstCase",
    way: Way,
    limits: tuple[int, int, int],
    called: str,
    columns: Sequence[str],
) -> WorstRecord:
    """Return the result of the search as a record for JSON.

    way: the steps. limits: rounds, nodes and seed. called: the name of the table's file. columns:
    the names of its columns.
    """
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
