"""The people of a session: the values and the behaviour of each, made when they are needed."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

from ..crypto.entropy import Entropy
from .network.memory_network import EVERY_ROUND

WITHIN = 0.5  # seconds; a paced person waits a random part of this time before it sends its answers
Row = Sequence[str]
Randomization = Callable[[Row, Entropy], Row]


@dataclass(frozen=True, slots=True)
class Person:
    """A participant of a session.

    Attributes:
        index: the index of the person, from 0.
        row: the person's value of each column.
        entropy: the person's source of randomness.
        rounds: the rounds in which the person is asked.
        randomize: the randomization of its answers before sending; None: no randomization.
        looks: whether it checks that its ballots arrived, in a round with locked ballots
            (challenge.py).
        compares: whether it compares its announcement with that on the board.
        paced: whether it sends at a random time of its own.
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
        """Return the person's answers in a round, with noise if the session randomizes answers."""
        return self.randomize(self.row, fresh.fork("lie")) if self.randomize else self.row

    def moment(self, fresh: Entropy) -> float:
        """Return the seconds that the person waits before it sends its sealed answers."""
        return WITHIN * int.from_bytes(fresh.fork("moment").random(8), "little") / 2**64

    def __repr__(self) -> str:
        """Return the person's index only: error messages must not show its values."""
        return f"Person({self.index})"


class People(Sequence[Person]):
    """A sequence of many people; each is made when it is needed, in the thread that uses it."""

    def __init__(self, person: Callable[[int], Person], indices: Sequence[int]) -> None:
        """Keep the function from an index to a person, and the indices."""
        self._person = person
        self._indices = indices

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self._indices)

    @overload
    def __getitem__(self, at: int) -> Person: ...

    @overload
    def __getitem__(self, at: slice) -> "People": ...

    def __getitem__(self, at: int | slice) -> "Person | People":
        """Return the person at an index, or the people of a slice."""
        if isinstance(at, slice):
            return People(self._person, self._indices[at])
        return self._person(self._indices[at])

    def __reduce__(self) -> tuple[type[list[Person]], tuple[list[Person]]]:
        """Pickle as a list of these people: another process needs only the people of its work."""
        return list, (list(self),)
