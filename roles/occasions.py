"""The occasions that attacks find in a session: the entries of `[[fault]]` that are carried out.

A fault that changes, loses, keeps or adds something notes its entry. The note goes to every
instrument, as all that parties do: so it is heard where a party is a process of its own, too.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .instruments import Instrument, Instruments

Note = Callable[[Instruments], None]  # says that an attack is carried out
Notes = Mapping[int, Note]  # by round


def no_note(_instruments: Instruments) -> None:
    """Note nothing: the fault is of no scenario file."""


NOT_NOTED: Notes = {}


def note_of(entry: int) -> Note:
    """Return the note of an entry of `[[fault]]`, by its place in the file."""
    return lambda instruments: instruments.tell(lambda instrument: instrument.occasion(entry))


def unnoted(rounds: Collection[int]) -> Notes:
    """Return rounds in which nothing is noted."""
    return dict.fromkeys(rounds, no_note)


@dataclass(slots=True)
class OccasionRecord(Instrument):
    """Keeps which entries of `[[fault]]` were carried out, by their places in the file."""

    occasions: set[int] = field(default_factory=set)

    def occasion(self, entry: int) -> None:
        """Keep an entry."""
        self.occasions.add(entry)
