"""The people of a session: what each has and does, made when its turn comes."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

from ..crypto.entropy import Entropy
from .network import EVERY_ROUND

WITHIN = 0.5  # seconds in which all people send whose order is drawn
Row = Sequence[str]
Randomization = Callable[[Row, Entropy], Row]


@dataclass(frozen=True, slots=True)
class Person:
    """A person who takes part.

    Attributes:
        index: from 0.
        row: a value per feature.
        entropy: its source of randomness.
        rounds: those the person is asked in.
        randomize: what the person does to its answers before sending them; None: nothing.
        looks: whether it looks if its ballots have come, where they are locked (challenge.py).
        compares: whether it compares what it was told with the board.
        paced: whether it sends at a moment of its own, which is drawn.
    """

    index: int
    row: Row
    entropy: Entropy
    rounds: Collection[int] = EVERY_ROUND
    randomize: "Randomization | None" = None
    looks: bool = True
    compares: bool = True
    paced: bool = False

    def response(self, fresh: Entropy) -> Row:
        """The answers the person gives in a round."""
        return self.randomize(self.row, fresh.fork("lie")) if self.randomize else self.row

    def moment(self, fresh: Entropy) -> float:
        """How long the person waits before it sends what it has sealed, seconds."""
        return WITHIN * int.from_bytes(fresh.fork("moment").random(8), "little") / 2**64

    def __repr__(self) -> str:
        return f"Person({self.index})"


class People(Sequence[Person]):
    """Many people, each made when its turn comes, by whoever does its work."""

    def __init__(self, person: Callable[[int], Person], indices: Sequence[int]) -> None:
        self._person = person
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, at: int) -> Person: ...

    @overload
    def __getitem__(self, at: slice) -> "People": ...

    def __getitem__(self, at: int | slice) -> "Person | People":
        if isinstance(at, slice):
            return People(self._person, self._indices[at])
        return self._person(self._indices[at])

    def __reduce__(self) -> tuple[type[list[Person]], tuple[list[Person]]]:
        """Travel as these people: whoever does their work knows of no others."""
        return list, (list(self),)
