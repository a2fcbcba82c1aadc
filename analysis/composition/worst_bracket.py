"""The state of the search for the exact worst case: its bracket, and its limits.

The bracket is the exposed people of the worst table found, and the upper bound proved. This file is
apart from the search (worst_search.py), because its solvers and proposals need not be imported if
the bracket is close enough at once.
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
        nodes: limit of every search tree.
        rounds: limit of the proposals of swaps.
        cells: tables with more cells are not searched; they keep the bounds of the start.
        seed: seed of the random proposals.
        enough: share of the people; lower and upper bound this close are not narrowed further.
        timer: a limit in seconds, if the caller sets one.
    """

    nodes: int
    rounds: int
    cells: int
    seed: int
    enough: float
    timer: "Timer"


class Timer:
    """A limit in seconds, read between two steps of a search; the solver never reads a clock.

    Attributes:
        over: whether the limit was exceeded at a reading.
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
    """The progress of a search for the worst case, as it is reported to the caller.

    Attributes:
        people: exposed in the worst table found; 0 if no table was found.
        upper: no table exposes more, as proved by now.
        doing: the current step, in words.
    """

    people: int
    upper: int
    doing: str

    def __str__(self) -> str:
        """Return the bracket of exposed people and the current step, for a progress line."""
        return f"{self.people:,} to {self.upper:,}; {self.doing}"


class WorstTableProof(Protocol):
    """A proof that no table exposes more than `people`, as `check_cases.py` reads it."""

    @property
    def people(self) -> int:
        """Upper bound on the exposed people that is proved."""
        ...

    @property
    def proof(self) -> bytes:
        """The proof of the bound by cases, as JSON."""
        ...


class Bracket:
    """The state of a search: the worst table found, and the upper bound proved so far.

    Attributes:
        k: people in the smallest class that is not exposed.
        ceiling: upper bound on the exposed people of any table.
        table: the worst table found; None before the first.
        proof: proof of an upper bound in whole numbers, if the search made one.
    """

    def __init__(self, k: int, ceiling: int, progress: Callable[[SearchStep], None]) -> None:
        """Begin with an upper bound and without a table.

        progress: called with each improvement and each new step.
        """
        self.k, self.ceiling = k, ceiling
        self.table: FrechetTable | None = None
        self.proof: WorstTableProof | None = None
        self._progress, self._doing = progress, "tables made at once"

    @property
    def people(self) -> int:
        """The people exposed in the worst table found; -1 before the first."""
        return -1 if self.table is None else self.table.exposed(self.k)

    @property
    def open(self) -> float:
        """The people between upper bound and worst table; infinity without a table."""
        return inf if self.table is None else self.ceiling - self.people

    @property
    def closed(self) -> bool:
        """Whether the worst table found is proved to be the worst possible."""
        return self.people >= self.ceiling

    @property
    def written(self) -> bytes | None:
        """The proof in whole numbers of the present upper bound, as JSON; None if missing."""
        proof = self.proof
        return proof.proof if proof is not None and proof.people <= self.ceiling else None

    def meet(self, table: FrechetTable | None) -> None:
        """Record a table as the worst found if it exposes more people; report it."""
        if table is not None and table.exposed(self.k) > self.people:
            self.table = table
            self.say(self._doing)

    def prove(self, ceiling: float) -> None:
        """Lower the upper bound to this number of people, rounded down, and report it.

        A number that is not below the present bound has no effect.
        """
        if floor(ceiling + TOLERANCE) < self.ceiling:
            self.ceiling = floor(ceiling + TOLERANCE)
            self.say(self._doing)

    def say(self, doing: str) -> None:
        """Report the bounds so far to the caller. doing: the current step, in words."""
        self._doing = doing
        self._progress(SearchStep(max(self.people, 0), self.ceiling, doing))
