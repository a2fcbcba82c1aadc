"""The result of a search over levels: choices, the best choice, and the proof of its loss."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .ladder import Ladder

Levels = tuple[int, ...]
SLACK = 1e-12  # a difference of losses that is rounding
PROVED = 1e-9  # a difference of a loss and its bound that is a solver's rounding


@dataclass(frozen=True, slots=True)
class Choice:
    """Levels for all columns.

    Attributes:
        levels: the number of the level of each column.
        loss: from 0 to 1, all columns together.
        people: number of people in a crowd below k.
    """

    levels: Levels
    loss: float
    people: int


def choice_of(ladders: Sequence[Ladder], levels: Sequence[int], people: int, n: int) -> Choice:
    """Return a choice with its loss, as the search charges it (lattice_search.py).

    people: in a crowd below k, of n.
    """
    whole = sum(ladder.weight for ladder in ladders)
    chosen = zip(ladders, levels, strict=True)
    base = sum(ladder.levels[level].loss * ladder.weight / whole for ladder, level in chosen)
    return Choice(tuple(levels), base + (1 - base) * people / n, people)


@dataclass(frozen=True, slots=True)
class Advice:
    """The result of a search.

    Attributes:
        best: the safe choice with the least loss.
        bound: lower bound on the loss of a safe choice.
        tried: all complete choices with counted people.
        counted: number of counts of people below k.
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
        """Whether it is proved that no choice loses less."""
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
