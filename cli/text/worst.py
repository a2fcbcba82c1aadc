"""The output of `veilmix worst`: the table with given column counts that exposes most people.

The maximum number of exposed people has a lower bound, from a table that was found, and a proved
upper bound. The output is lines and tables for people, and a record for programs.
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
    """A point of the search at which a bound on the maximum number of exposed people improved.

    Attributes:
        doing: the phase of the search.
        found: people exposed in the worst table found so far, a lower bound.
        at_most: the upper bound proved so far, over all tables with these column counts.
    """

    doing: str
    found: int
    at_most: int


class WorstRecord(Record, frozen=True):
    """The record that `veilmix worst` prints with `--format json`.

    Attributes:
        file: name of the table's file.
        columns: names of its columns.
        users: people in the table.
        k: smallest safe equivalence class; people in smaller classes are exposed.
        found: people exposed in the worst table that was found.
        at_most: upper bound on exposed people, over all tables with these column counts.
        proven: whether `found` and `at_most` are equal.
        why: the reason why the search ended; empty if `proven`.
        rounds: limit of the search for bad tables, in swaps of cells.
        nodes: limit of nodes of every search tree.
        seed: seed of the swaps.
        stages: the points of the search at which a bound improved, in order.
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
    """The history of the bounds in a search for the table that exposes most people.

    Attributes:
        stages: the bounds on the maximum number of exposed people, at each improvement.
    """

    def __init__(self) -> None:
        """Start with an empty history, before the search."""
        self.stages: list[BracketStage] = []

    def step_line(self, step: "SearchStep") -> str:
        """Store the bounds of the search at an improvement; return a line on the progress.

        step: the present bounds on the maximum number of exposed people, and the phase of the
        search.
        """
        last = self.stages[-1] if self.stages else None
        if last is None or (last.found, last.at_most) != (step.people, step.upper):
            self.stages.append(BracketStage(step.doing, step.people, step.upper))
        return f"the worst table: {step}"


def bracket_blocks(
    worst: "WorstCase", way: Way, called: str, columns: Sequence[str]
) -> Iterator["Block"]:
    """Yield the bounds on the maximum of exposed people, their history, and why the search ended.

    way: the history of the bounds. called: the name of the table's file. columns: the names of its
    columns.
    """
    named = ", ".join(columns)
    yield Line(f"{called}  {worst.n:,} people, {plural(len(columns), 'column')}: {named}")
    yield Line(
        f"\npeople in a crowd smaller than k = {worst.k} in the worst table with these columns"
    )
    yield Grid(("", "people", "share"), list(_ends(worst)), (1, 2))
    yield Line("\nbounds in the course of the search")
    rows = [(stage.doing, f"{stage.found:,}", f"{stage.at_most:,}") for stage in way.stages]
    yield Grid(("", "found", "at most"), rows, (1, 2))
    yield Line(f"\nended: {worst.why or 'proved, no table is worse'}")


def _ends(worst: "WorstCase") -> Iterator[tuple[str, str, str]]:
    """Yield rows (meaning, people, share): the maximum if it is proved, else its two bounds.

    The maximum is that of exposed people over all tables with the given column counts.
    """
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
    """Return the history of the bounds in a search for the worst table, as a table for CSV."""
    rows = [(stage.doing, stage.found, stage.at_most) for stage in way.stages]
    return Grid(("doing", "found", "at_most"), rows, (1, 2))


def worst_record(
    worst: "WorstCase",
    way: Way,
    limits: tuple[int, int, int],
    called: str,
    columns: Sequence[str],
) -> WorstRecord:
    """Return the result of the search for the worst table as a record for JSON.

    way: the history of the bounds on exposed people. limits: the search's limits of rounds and
    nodes, and its seed. called: the name of the table's file. columns: the names of its columns.
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
