"""What is known of the exact worst case at any time, and what ends the search for more.

Apart from the search (worst_search.py), whose solvers and proposals need not be imported where the
bracket is close enough at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf
from time import perf_counter
from typing import Protocol

from ..contingency.frechet import Table
from ..contingency.integer_program import TOLERANCE


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a search.

    Attributes:
        nodes: of every search tree, at most.
        rounds: proposals of swaps, at most.
        cells: of a larger class of tables no closer bracket is sought.
        seed: of what is proposed.
        enough: share of the people; a bracket that leaves open no more is not closed further.
        timer: a limit in seconds, where the caller sets one.
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
        over: whether a step was left out because of it.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else perf_counter() + seconds
        self.over = False

    def __call__(self) -> bool:
        """Whether the time is over."""
        self.over = self.over or (self._end < inf and perf_counter() > self._end)
        return self.over


@dataclass(frozen=True, slots=True)
class Step:
    """How far a search has come.

    Attributes:
        people: exposed in the worst table met; 0 where none was.
        upper: no table exposes more, as proved by now.
        doing: what is done now.
    """

    people: int
    upper: int
    doing: str

    def __str__(self) -> str:
        return f"{self.people:,} to {self.upper:,}; {self.doing}"


class Proof(Protocol):
    """A proof that no table exposes more than `people`, as `check_cases.py` reads it."""

    @property
    def people(self) -> int:
        """Exposed people, at most."""
        ...

    @property
    def proof(self) -> bytes:
        """The proof, as JSON."""
        ...


class Bracket:
    """The worst table met, the ceiling proved, and a proof in whole numbers, at any time."""

    def __init__(self, k: int, ceiling: int, progress: Callable[[Step], None]) -> None:
        self.k, self.ceiling = k, ceiling
        self.table: Table | None = None
        self.proof: Proof | None = None
        self._progress, self._doing = progress, "tables made at once"

    @property
    def people(self) -> int:
        """Exposed people of the table; -1 where there is none."""
        return -1 if self.table is None else self.table.exposed(self.k)

    @property
    def open(self) -> float:
        """People between the ceiling and the table at hand; infinity where there is none."""
        return inf if self.table is None else self.ceiling - self.people

    @property
    def closed(self) -> bool:
        """Whether no table is worse than the one at hand."""
        return self.people >= self.ceiling

    @property
    def written(self) -> bytes | None:
        """The proof of the ceiling in whole numbers, if there is one."""
        proof = self.proof
        return proof.proof if proof is not None and proof.people <= self.ceiling else None

    def meet(self, table: Table | None) -> None:
        """Take this table if it is worse."""
        if table is not None and table.exposed(self.k) > self.people:
            self.table = table
            self.say(self._doing)

    def prove(self, ceiling: float) -> None:
        """No table exposes more people than this."""
        if floor(ceiling + TOLERANCE) < self.ceiling:
            self.ceiling = floor(ceiling + TOLERANCE)
            self.say(self._doing)

    def say(self, doing: str) -> None:
        """Tell how far it has come, and what is done now."""
        self._doing = doing
        self._progress(Step(max(self.people, 0), self.ceiling, doing))
