"""The state of audits on the board, and the rules for their posts (reasons in audit.py)."""

from dataclasses import dataclass, field

from ...errors import Reason, Refused
from ..rounds.audit import coin_of
from ..wire.audit_messages import Coin, Opened, Toss, Traced
from ..wire.messages import BallotMarks, Body, Mixed, Tally
from ..wire.parties import paired, shuffler
from .challenge_posts import Place


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

    def right(self, author: str, body: Body, at: Place) -> bool:
        """Whether a post is legal in a session with audits; Refused if a toss breaks its coin."""
        match body:
            case Coin():
                return author in at.openers and author not in self.coins.get(at.number, ())
            case Mixed(hop=1):
                return set(at.openers) <= self.coins.get(at.number, {}).keys()
            case Traced(hop=hop, hashes=hashes):
                due = self._due(author, hop, at) and hop <= len(at.forwarded_counts)
                new = hop not in self.traced.get(at.number, ())
                return due and new and len(hashes) == at.forwarded_counts[hop - 1]
            case Toss():
                return self._tosses(author, body, at)
            case Opened(hop=hop, links=links):
                due = self._due(author, hop, at) and self.tossed(at.number, at.openers)
                new = hop not in self.opened.get(at.number, ())
                fits = all(len(link.layer) == at.sizes[hop - 1] for link in links) if due else False
                return new and fits and len(links) <= self._max_inputs(hop, at)
            case Tally() | BallotMarks():
                return self.is_complete(at.number, at.openers)
            case _:
                return True

    def _due(self, author: str, hop: int, at: Place) -> bool:
        """Whether a hop belongs to a pair and to this author."""
        return 1 <= hop <= paired(len(at.openers) - 1) and author == shuffler(hop)

    def _max_inputs(self, hop: int, at: Place) -> int:
        """Return the largest number of inputs of a hop."""
        return at.accepted if hop == 1 else len(self.traced[at.number][hop - 1])

    def _tosses(self, author: str, toss: Toss, at: Place) -> bool:
        mine = self.coins.get(at.number, {}).get(author)
        if not self.mixed(at.number, at.openers) or author in self.tosses.get(at.number, ()):
            return False
        if mine is None or coin_of(at.session, at.number, author, toss) != mine:
            raise Refused(Reason.MALFORMED)
        return at.mixed

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
