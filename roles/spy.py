"""What attackers carry together: every byte that one of them saw, and the keys they hold.

A transcript has the names of ciphertexts and no keys. Whoever wants to try an attack for real needs
the bytes; a spy is the instrument that keeps those that its accomplices see, for exploits.py.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from ..crypto.keys import SecretKey
from ..protocol import parties
from ..protocol.board import Board, Entry
from ..protocol.exploits import Letter, Loot
from ..protocol.phases import BOARD
from .instruments import Instrument


@dataclass(slots=True)
class Spy(Instrument):
    """Keeps what `accomplices` see, and the keys they confide."""

    accomplices: Collection[str]
    letters: list[Letter] = field(default_factory=list)
    keys: dict[str, SecretKey] = field(default_factory=dict)

    def confide(self, party: str, secret: SecretKey) -> None:
        """Take the key of an accomplice."""
        if party in self.accomplices:
            self.keys[party] = secret

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Keep a message that an accomplice has sent, received or overheard."""
        seen = {sender, receiver, parties.NETWORK} & set(self.accomplices)
        if seen and receiver != BOARD:
            self.letters.append(Letter(sender, receiver, data))

    def posted(self, time: float, entry: Entry) -> None:
        """The board is everybody's; it is taken as a whole at the end."""

    def loot(self, board: Board) -> Loot:
        """What they have when the session is over."""
        return Loot(board, tuple(self.letters), dict(self.keys))
