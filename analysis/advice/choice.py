"""Results of a search for coarser columns: choices of levels, the best, a bound on its loss.

A level is a coarsening of a column; its number grows as its values get coarser (ladder.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .ladder import Ladder

Levels = tuple[int, ...]
SLACK = 1e-12  # two losses that differ by less are equal up to rounding
PROVED = 1e-9  # a lower bound within this of a choice's loss proves it the least


@dataclass(frozen=True, slots=True)
class Choice:
    """A coarsening of a table: one level for each column, its loss and the people exposed.

    Attributes:
        levels: the number of the level of each column.
        loss: lost share of the information of all columns together, from 0 to 1.
        people: number of people in an equivalence class smaller than k.
    """

    levels: Levels
    loss: float
    people: int


def choice_of(ladders: Sequence[Ladder], levels: Sequence[int], people: int, n: int) -> Choice:
    """Return a choice with its loss, computed as the search does (lattice_search.py).

    Args:
        ladders: the levels of each column, with their losses.
        levels: the number of the chosen level of each column.
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
        best: the choice with the least loss that leaves few enough people exposed.
        bound: lower bound on the loss of any such choice.
        tried: all complete choices with counted people.
        counted: how often the search counted the people below k.
    """

    best: Choice
    bound: float
    tried: tuple[Choice, ...] = field(repr=False)
    counted: int

    @property
    def gap(self) -> float:
        """Upper bound on the loss that a better choice would save; 0 if the search is exact."""
        return max(0.0, self.best.loss - self.bound)

    @property
    def exact(self) -> bool:
        """Whether it is proved that no safe choice of levels loses less than the best found."""
        return self.gap <= PROVED

    def frontier(self) -> tuple[Choice, ...]:
        """Return the tried choices on the Pareto front of people below k and loss.

        Each loses less than all tried choices with as few people below k; fewest people first.
        """
        choices: list[Choice] = []
        for choice in sorted(
            self.tried, key=lambda choice: (choice.people, choice.loss, choice.levels)
        ):
            if not choices or choice.loss < choices[-1].loss - SLACK:
                choices.append(choice)
        return tuple(choices)
