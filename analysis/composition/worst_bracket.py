"""The state of the search for the worst case of exposure: lower bound, upper bound, limits.

The worst case is the largest number of exposed people (in cells of fewer than k people) over all
tables with given margins. The bracket holds the worst table found, a lower bound, and the upper
bound proved so far. This file is apart from the search (worst_search.py): if the bracket is close
enough at once, the search and its solvers need not be imported.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf
from time import perf_counter
from typing import Protocol

from ..contingency.frechet import FrechetTable
from ..contingency.integer_program import TOLERANCE


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search for the exact worst case: the most people exposed over all tables.

    Attributes:
        nodes: limit of the nodes of each search tree.
        rounds: limit of the proposed swaps, which change a table's set of cells that hide people.
        cells: limit of the cells of a table; larger tables are not searched and keep the bounds
            that are known before the search.
        seed: seed of the random proposals.
        enough: a share of the people; once upper and lower bound differ by no more, the search is
            not started.
        timer: a limit in seconds, if the caller sets one.
    """

    nodes: int
    rounds: int
    cells: int
    seed: int
    enough: float
    timer: "Timer"


class Timer:
    """A limit in seconds, checked between two steps of a search; the solver never reads a clock.

    Attributes:
        over: whether the limit was exceeded at the last check.
    """

    def __init__(self, seconds: float | None) -> None:
        """Start the timer. seconds: the limit from now; None: no limit."""
        self._end = inf if seconds is None else perf_counter() + seconds
        self.over = False

    def __call__(self) -> bool:
        """Whether the time limit is exceeded."""
        self.over = self.over or (self._end < inf and perf_counter() > self._end)
        return self.over


@dataclass(frozen=True, slots=True)
class SearchStep:
    """The progress of a search for the worst case of exposure, as it is reported to the caller.

    Attributes:
        people: people exposed in the worst table found; 0 if no table was found.
        upper: upper bound, proved so far, on the people exposed in any table.
        doing: the current step, in words.
    """

    people: int
    upper: int
    doing: str

    def __str__(self) -> str:
        """Return the bounds on exposed people and the current step, for a progress line."""
        return f"{self.people:,} to {self.upper:,}; {self.doing}"


class WorstTableProof(Protocol):
    """A proof that no table exposes more than `people` people; `check_cases.py` verifies it."""

    @property
    def people(self) -> int:
        """The upper bound on exposed people that is proved."""
        ...

    @property
    def proof(self) -> bytes:
        """The proof of the bound by cases, as JSON."""
        ...


class Bracket:
    """The state of a search: the worst table found, and the upper bound proved so far.

    The worst table has the most exposed people among all tables with the given margins.

    Attributes:
        k: people in the smallest class that is not exposed.
        ceiling: upper bound on the exposed people of any table.
        table: the worst table found; None before the first.
        proof: a proof in whole numbers of some upper bound; None if the search made no proof.
    """

    def __init__(self, k: int, ceiling: int, progress: Callable[[SearchStep], None]) -> None:
        """Begin with an upper bound and without a table.

        Args:
            k: people in the smallest class that is not exposed.
            ceiling: upper bound on the exposed people of any table.
            progress: called with each improvement and each new step.
        """
        self.k, self.ceiling = k, ceiling
        self.table: FrechetTable | None = None
        self.proof: WorstTableProof | None = None
        self._progress, self._doing = progress, "tables made at once"

    @property
    def people(self) -> int:
        """The people exposed in the worst table found; -1 before the first table."""
        return -1 if self.table is None else self.table.exposed(self.k)

    @property
    def open(self) -> float:
        """The upper bound less the people exposed in the worst table; infinity without a table."""
        return inf if self.table is None else self.ceiling - self.people

    @property
    def closed(self) -> bool:
        """Whether the worst table found is proved to expose most people among all tables."""
        return self.people >= self.ceiling

    @property
    def written(self) -> bytes | None:
        """The proof of the current upper bound, as JSON; None unless a proof reaches this bound.

        It holds whole numbers only, so that it can be verified without rounding.
        """
        proof = self.proof
        return proof.proof if proof is not None and proof.people <= self.ceiling else None

    def meet(self, table: FrechetTable | None) -> None:
        """Keep a table if it exposes more people than the worst found before; report the bounds.

        The report goes to the caller's function `progress`. None: no table was found.
        """
        if table is not None and table.exposed(self.k) > self.people:
            self.table = table
            self.say(self._doing)

    def prove(self, ceiling: float) -> None:
        """Lower the upper bound on exposed people to `ceiling`, rounded down, and report it.

        A number that is not below the present bound has no effect.
        """
        if floor(ceiling + TOLERANCE) < self.ceiling:
            self.ceiling = floor(ceiling + TOLERANCE)
            self.say(self._doing)

    def say(self, doing: str) -> None:
        """Report the bounds so far to the caller. doing: the current step, in words."""
        self._doing = doing
        self._progress(SearchStep(max(self.people, 0), self.ceiling, doing))
