"""Results of a search for coarser columns: the choices tried, the best of them, and a bound.

A level is a coarsening of one column; a higher level number has coarser values (ladder.py). A
choice takes one level for each column. Its loss is the lost share of the columns' information.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .ladder import Ladder

Levels = tuple[int, ...]
SLACK = 1e-12  # two losses (from 0 to 1) that differ by less count as equal, because of rounding
PROVED = 1e-9  # a choice is proved optimal if its loss exceeds the lower bound by at most this


@dataclass(frozen=True, slots=True)
class Choice:
    """A coarsening of a table: one level for each column, its loss and the people exposed.

    Attributes:
        levels: the number of the chosen level of each column; a higher level has coarser values.
        loss: lost share of the information of all columns together, from 0 to 1.
        people: number of people in an equivalence class smaller than k.
    """

    levels: Levels
    loss: float
    people: int


def choice_of(ladders: Sequence[Ladder], levels: Sequence[int], people: int, n: int) -> Choice:
    """Return a choice of levels with its loss, by the formula of the search (lattice_search.py).

    Args:
        ladders: each column with its levels (coarsenings); every level has a loss.
        levels: for each column, the index of the chosen level, 0 for the finest.
        people: people in an equivalence class smaller than k; their rows count as lost.
        n: people in the table.
    """
    whole = sum(ladder.weight for ladder in ladders)
    chosen = zip(ladders, levels, strict=True)
    base = sum(ladder.levels[level].loss * ladder.weight / whole for ladder, level in chosen)
    return Choice(tuple(levels), base + (1 - base) * people / n, people)


@dataclass(frozen=True, slots=True)
class Advice:
    """The result of a search for the choice of levels (coarser columns) with the least loss.

    Attributes:
        best: the choice with the least loss among those that leave few enough people exposed.
        bound: lower bound on the loss of every choice that leaves few enough people exposed.
        tried: the choices, with a level for every column, whose exposed people the search counted.
        counted: number of times that the search counted the exposed people.
    """

    best: Choice
    bound: float
    tried: tuple[Choice, ...] = field(repr=False)
    counted: int

    @property
    def gap(self) -> float:
        """The most by which a better choice could lower the loss; 0 if `best` is proved optimal."""
        return max(0.0, self.best.loss - self.bound)

    @property
    def exact(self) -> bool:
        """Whether `best` is proved optimal: no choice with few enough exposed people loses less."""
        return self.gap <= PROVED

    def frontier(self) -> tuple[Choice, ...]:
        """Return the tried choices on the Pareto front of exposed people and loss.

        Each choice on the front loses less than every tried choice with fewer exposed people. The
        choice with the fewest exposed people comes first.
        """
        choices: list[Choice] = []
        for choice in sorted(
            self.tried, key=lambda choice: (choice.people, choice.loss, choice.levels)
        ):
            if not choices or choice.loss < choices[-1].loss - SLACK:
                choices.append(choice)
        return tuple(choices)
