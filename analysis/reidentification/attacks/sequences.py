"""Sequences of events, a sequence for each person in order of time, as two flat arrays.

Person i's events, oldest first, are events[offsets[i] : offsets[i + 1]]. An event is a symbol in
0 .. symbols - 1, such as a visited place or a rated film. Each person has at least one event,
because an empty sequence cannot be matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....deprecated import keeps_old
from ....errors import ParameterError
from ...validation import as_array, sequence, whole

Events = npt.NDArray[np.int64]


@keeps_old(of="from_people", of_people="select_people")
@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Sequences of events of people (visited places, rated films): the data of the attacks.

    Attributes:
        events: symbols, all people's sequences one after another, shape (events,), int64.
        offsets: index of each person's first event, then the number of events; shape (people + 1,),
            int64.
        symbols: the size of the alphabet.
    """

    events: Events
    offsets: Events
    symbols: int

    def __post_init__(self) -> None:
        """Check the arrays.

        Raises:
            ParameterError: arrays without integers, a person without events, or a symbol outside
                0 .. symbols - 1.
        """
        whole(self.symbols, "symbols", 1)
        for name in ("events", "offsets"):
            array = as_array(getattr(self, name), name, "integers")
            if array.ndim != 1 or array.dtype.kind not in "iu" or array.dtype == np.uint64:
                raise ParameterError(f"{name}: holds {array.dtype}; needs one axis of integers")
            object.__setattr__(self, name, array)
        lengths = np.diff(self.offsets)
        if len(lengths) == 0:
            raise ParameterError("sequences: no person; needs at least one")
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.events) or lengths.min() < 1:
            empty = int((lengths < 1).sum())
            raise ParameterError(
                f"sequences: {empty} of {len(lengths)} people have no event; each needs one"
            )
        if self.events.min() < 0 or self.events.max() >= self.symbols:
            raise ParameterError(
                f"sequences: symbols {self.events.min()} .. {self.events.max()}; needs "
                f"0 .. {self.symbols - 1}"
            )

    @classmethod
    def from_people(cls, people: Sequence[npt.ArrayLike], symbols: int | None = None) -> Sequences:
        """Return sequences from a list of symbols for each person, oldest first.

        people: one list of integers for each person.
        symbols: the size of the alphabet; the largest symbol plus 1 if not given.
        """
        parts = [as_array(trace, "people", "symbols") for trace in sequence(people, "people")]
        if not parts or any(part.ndim != 1 or part.size == 0 for part in parts):
            raise ParameterError("people: needs at least one, and one list of events for each")
        events = np.concatenate(parts)
        offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        size = int(events.max()) + 1 if symbols is None and events.dtype.kind in "iu" else symbols
        return cls(events, offsets.astype(np.int64), 1 if size is None else size)

    @classmethod
    def grouped(cls, owner: Events, events: Events, symbols: int) -> Sequences:
        """Return one sequence for each person from a single list of events, oldest first.

        owner: the person of each event, 0 .. people - 1.
        events: the symbol of each event.
        symbols: the size of the alphabet.
        """
        order = np.argsort(owner, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner))])
        return cls(events[order].astype(np.int64), offsets.astype(np.int64), symbols)

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Events:
        """The number of events of each person, shape (people,)."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Events:
        """The person of each event, shape (events,)."""
        return np.repeat(np.arange(self.people), self.lengths)

    @property
    def positions(self) -> Events:
        """The index of each event in the sequence of its person, from 0; shape (events,)."""
        return np.arange(len(self.events)) - self.offsets[:-1][self.owners]

    @property
    def starts(self) -> Events:
        """The symbol of each person's first event, shape (people,)."""
        return self.events[self.offsets[:-1]]

    def first(self, m: int) -> Sequences:
        """Return the first m events of each person, or all if there are fewer."""
        return self._masked(self.positions < whole(m, "m", 1))

    def last(self, m: int) -> Sequences:
        """Return the last m events of each person, or all if there are fewer."""
        events_left = self.lengths[self.owners] - self.positions
        return self._masked(events_left <= whole(m, "m", 1))

    def halves(self) -> tuple[Sequences, Sequences]:
        """Return the older and the newer half of each person's events.

        If a person's number of events is odd, the newer half has one event more.

        Raises:
            ParameterError: a person has only one event.
        """
        if self.lengths.min() < 2:
            raise ParameterError(
                "sequences: a person has only one event; two halves need two or more"
            )
        older = self.positions < self.lengths[self.owners] // 2
        return self._masked(older), self._masked(~older)

    def with_at_least(self, m: int) -> Sequences:
        """Return the sequences of the people with at least m events, renumbered from 0."""
        return self.select_people(np.flatnonzero(self.lengths >= whole(m, "m", 1)))

    def select_people(self, people: npt.ArrayLike) -> Sequences:
        """Return the sequences of the given people, in the given order, renumbered from 0."""
        chosen_people = np.asarray(people)
        if chosen_people.ndim != 1 or chosen_people.size == 0:
            raise ParameterError("people: no person is selected; needs at least one")
        parts = [self.events[self.offsets[i] : self.offsets[i + 1]] for i in chosen_people]
        return Sequences.from_people(parts, self.symbols)

    def visits(self) -> Any:
        """Return each person's number of events with each symbol.

        A SciPy CSR array, people x symbols.
        """
        from scipy.sparse import csr_array

        unit_counts = np.ones(len(self.events), np.int64)
        shape = (self.people, self.symbols)
        # A copy is made, because the array adds up duplicates in place, which would change the
        # events.
        counts = csr_array((unit_counts, self.events, self.offsets), shape=shape, copy=True)
        counts.sum_duplicates()
        return counts

    def moves(self) -> tuple[Events, Events]:
        """Return the person and the code of each pair of successive events, oldest first.

        The code of a move from symbol a to symbol b is a * symbols + b.
        """
        if self.symbols > 3_000_000_000:
            raise ParameterError(
                f"symbols: found {self.symbols}; pairs of successive events can be numbered for at "
                "most 3e9 symbols"
            )
        inside = np.flatnonzero(self.positions > 0)
        return self.owners[inside], self.events[inside - 1] * self.symbols + self.events[inside]

    def _masked(self, mask: npt.NDArray[np.bool_]) -> Sequences:
        """Return the sequences with only the events for which the mask is true.

        mask: a truth value for each event, shape (events,).
        """
        lengths = np.bincount(self.owners[mask], minlength=self.people)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Sequences(self.events[mask], offsets, self.symbols)

    def __repr__(self) -> str:
        """Return the numbers of people, events and symbols."""
        return (
            f"<Sequences of {self.people:,} people: {len(self.events):,} events, "
            f"{self.symbols:,} symbols>"
        )


def same_alphabet(training: Sequences, released: Sequences) -> None:
    """Raise a ParameterError unless both sets of sequences have the same number of symbols."""
    if training.symbols != released.symbols:
        raise ParameterError(
            f"released: {released.symbols} symbols; the training data have {training.symbols}; "
            "needs as many"
        )
