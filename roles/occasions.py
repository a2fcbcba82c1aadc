"""Occasions of attacks in a session: the entries of `[[fault]]` that are carried out.

A fault that changes, loses, keeps or adds a message notes its entry. The note goes to every
instrument, as all events of parties do: so it also arrives from a party in its own process.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .network.instruments import Instrument, Instruments

Note = Callable[[Instruments], None]  # says that an attack is carried out
Notes = Mapping[int, Note]  # by round


def no_note(_instruments: Instruments) -> None:
    """Do nothing: this fault comes from no scenario file."""


NOT_NOTED: Notes = {}


def note_of(entry: int) -> Note:
    """Return the note of an entry of `[[fault]]`, by its place in the file."""
    return lambda instruments: instruments.notify(lambda instrument: instrument.occasion(entry))


def unnoted(rounds: Collection[int]) -> Notes:
    """Return rounds with an empty note for each."""
    return dict.fromkeys(rounds, no_note)


@dataclass(slots=True)
class OccasionRecord(Instrument):
    """Keeps the entries of `[[fault]]` that were carried out, by their places in the file."""

    occasions: set[int] = field(default_factory=set)

    def occasion(self, entry: int) -> None:
        """Keep an entry."""
        self.occasions.add(entry)
