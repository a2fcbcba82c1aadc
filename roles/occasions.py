"""Occasions of attacks in a session: the scenario's entries `[[fault]]` that are carried out.

A fault that changes, loses, keeps or adds a message notes its entry. The note goes to every
instrument, as all events of parties do: so it also arrives from a party in its own process.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .network.instruments import Instrument, Instruments

Note = Callable[[Instruments], None]  # tells the observers that an attack is carried out
Notes = Mapping[int, Note]  # round -> note


def no_note(_instruments: Instruments) -> None:
    """Record no attack, because this fault comes from no scenario file."""


NOT_NOTED: Notes = {}


def note_of(entry: int) -> Note:
    """Return the function that tells all observers that an entry of `[[fault]]` was carried out.

    entry: position of the entry in the scenario file.
    """
    return lambda instruments: instruments.notify(lambda instrument: instrument.occasion(entry))


def unnoted(rounds: Collection[int]) -> Notes:
    """Return a table of these rounds in which no attack is recorded."""
    return dict.fromkeys(rounds, no_note)


@dataclass(slots=True)
class OccasionRecord(Instrument):
    """An observer that keeps which attacks were carried out.

    Attributes:
        occasions: the entries of `[[fault]]`, by their places in the file.
    """

    occasions: set[int] = field(default_factory=set)

    def occasion(self, entry: int) -> None:
        """Keep an entry that was carried out."""
        self.occasions.add(entry)
