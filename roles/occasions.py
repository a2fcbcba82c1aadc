"""The attacks of a scenario file (entries `[[fault]]`) that are carried out in a session.

An attack finds an occasion if, for example, the message comes that it changes. The fault that
changes, loses, keeps or adds a message then notes the entry. The note goes to every instrument
(observer of the session), as all events of parties do: so it also arrives from a party in its own
process.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .network.instruments import Instrument, Instruments

Note = Callable[[Instruments], None]  # reports to the observers that an attack is carried out
Notes = Mapping[int, Note]  # round -> function that records the attack


def no_note(_instruments: Instruments) -> None:
    """Record no attack, because this fault comes from no scenario file."""


NOT_NOTED: Notes = {}


def note_of(entry: int) -> Note:
    """Return the function that reports to all observers that an attack was carried out.

    entry: position of the attack's entry `[[fault]]` in the scenario file.
    """
    return lambda instruments: instruments.notify(lambda instrument: instrument.occasion(entry))


def unnoted(rounds: Collection[int]) -> Notes:
    """Return a table: round -> function that records no attack. rounds: the keys of the table."""
    return dict.fromkeys(rounds, no_note)


@dataclass(slots=True)
class OccasionRecord(Instrument):
    """An observer that records which attacks of the scenario file are carried out.

    Attributes:
        occasions: the entries of `[[fault]]`, by their indices in the file.
    """

    occasions: set[int] = field(default_factory=set)

    def occasion(self, entry: int) -> None:
        """Record that an attack was carried out. entry: its index in the scenario file."""
        self.occasions.add(entry)
