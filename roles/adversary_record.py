"""What attackers carry together: every byte that one of them saw, and the keys they hold.

A transcript has the names of ciphertexts and no keys. Whoever wants to try an attack for real needs
the bytes; the record is the instrument that keeps those that its accomplices see, for exploits.py.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..crypto.keys import SecretKey
from ..crypto.voprf import OprfKey
from ..protocol import exploits, parties
from ..protocol.adversary_view import AdversaryView, Letter
from ..protocol.board import Board
from ..protocol.phases import BOARD
from .instruments import Instrument


@dataclass(slots=True)
class AdversaryRecord(Instrument):
    """Keeps every letter and every key; `loot` gives accomplices what they have of them.

    Attributes:
        letters: that were carried, in order.
        keys: secret keys, by party.
        shares: of locks, by party and round.
        functions: keys by which `randomness` answers, by round.
        forged, forged_keys: what whoever keeps the board has shown somebody else, and its keys
            there.
    """

    letters: list[Letter] = field(default_factory=list)
    keys: dict[str, SecretKey] = field(default_factory=dict)
    shares: dict[tuple[str, int], bytes] = field(default_factory=dict)
    functions: dict[int, OprfKey] = field(default_factory=dict)
    forged: Board | None = None
    forged_keys: dict[str, SecretKey] = field(default_factory=dict)

    def confide(self, party: str, secret: SecretKey) -> None:
        """Take a party's key."""
        self.keys[party] = secret

    def entrust(self, party: str, number: int, secret: bytes) -> None:
        """Take a party's share of the lock of a round."""
        self.shares[party, number] = secret

    def lend(self, number: int, key: OprfKey) -> None:
        """Take the key by which `randomness` answers in a round."""
        self.functions[number] = key

    def misled(self, board: Board, secrets: Mapping[str, SecretKey]) -> None:
        """Take another board that somebody was shown."""
        self.forged, self.forged_keys = board, dict(secrets)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Keep a message. The board is everybody's; it is taken as a whole at the end."""
        if receiver != BOARD:
            self.letters.append(Letter(sender, receiver, data))

    def loot(self, board: Board, accomplices: Collection[str]) -> AdversaryView:
        """What they sent, received or overheard, and their keys, when the session is over."""
        wires = parties.NETWORK in accomplices
        seen = tuple(
            letter
            for letter in self.letters
            if wires or letter.sender in accomplices or letter.receiver in accomplices
        )
        mine = {party: key for party, key in self.keys.items() if party in accomplices}
        shares = {place: share for place, share in self.shares.items() if place[0] in accomplices}
        if wires:
            mine |= {exploits.FORGED + party: key for party, key in self.forged_keys.items()}
        lent = self.functions if parties.RANDOMNESS in accomplices else {}
        return AdversaryView(board, seen, mine, self.forged if wires else None, shares, lent)
