"""The posts of audits on the board, by round (reasons in audit.py)."""

from dataclasses import dataclass, field

from ..wire.audit_messages import Coin, Opened, Toss, Traced
from ..wire.messages import Body
from ..wire.parties import paired


@dataclass(slots=True)
class Audited:
    """By round: coins and tosses, by party; hashes of batches and openings, by hop.

    Attributes:
        coins: the commitment of each party.
        tosses: the opened part of each party.
        traced: hashes of the layers of each hop's batch, in its order.
        opened: the openings of each hop.
    """

    coins: dict[int, dict[str, Coin]] = field(default_factory=dict)
    tosses: dict[int, dict[str, Toss]] = field(default_factory=dict)
    traced: dict[int, dict[int, tuple[bytes, ...]]] = field(default_factory=dict)
    opened: dict[int, dict[int, Opened]] = field(default_factory=dict)

    def learn(self, author: str, number: int, body: Body) -> None:
        """Keep a post that was right."""
        match body:
            case Coin():
                self.coins.setdefault(number, {})[author] = body
            case Toss():
                self.tosses.setdefault(number, {})[author] = body
            case Traced(hop=hop, hashes=hashes):
                self.traced.setdefault(number, {})[hop] = hashes
            case Opened(hop=hop):
                self.opened.setdefault(number, {})[hop] = body

    def mixed(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether all hops of pairs have shown the hashes of their batches."""
        due = range(1, paired(len(openers) - 1) + 1)
        return set(due) <= self.traced.get(number, {}).keys()

    def tossed(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether the coins of a round are known."""
        return set(openers) <= self.tosses.get(number, {}).keys()

    def is_complete(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether all hops of pairs have opened their layers."""
        due = range(1, paired(len(openers) - 1) + 1)
        return set(due) <= self.opened.get(number, {}).keys()
