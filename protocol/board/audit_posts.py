"""The posts of audits on the board, by round.

In an audit, shufflers open a random half of their layers in public (rounds/audit.py).
"""

from dataclasses import dataclass, field

from ..wire.audit_messages import Coin, Opened, Toss, Traced
from ..wire.messages import Body
from ..wire.parties import paired


@dataclass(slots=True)
class Audited:
    """The audit posts of all rounds; the keys of each mapping are round numbers.

    In an audit, random bytes of all parties together choose the layers that shufflers open in
    public.

    Attributes:
        coins: by party, its commitment (a hash) to its random bytes.
        tosses: by party, the random bytes that it has revealed.
        traced: hashes of the layers of each hop's batch, in its order.
        opened: the opened layers of each hop.
    """

    coins: dict[int, dict[str, Coin]] = field(default_factory=dict)
    tosses: dict[int, dict[str, Toss]] = field(default_factory=dict)
    traced: dict[int, dict[int, tuple[bytes, ...]]] = field(default_factory=dict)
    opened: dict[int, dict[int, Opened]] = field(default_factory=dict)

    def learn(self, author: str, number: int, body: Body) -> None:
        """Store an audit post that passed its checks; ignore every other kind of post.

        author: the party that posted it. number: the round.
        """
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
        """Whether all audited shufflers of a round have posted the hashes of their batches.

        openers: the parties that open the layers of an onion, in order, the curator or analyst
        last.
        """
        due = range(1, paired(len(openers) - 1) + 1)
        return set(due) <= self.traced.get(number, {}).keys()

    def tossed(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether all these parties have revealed their random bytes for the audit of a round.

        number: the round. openers: the shufflers, and the curator or analyst.
        """
        return set(openers) <= self.tosses.get(number, {}).keys()

    def is_complete(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether all audited shufflers of a round have opened the chosen half of their layers.

        openers: the parties that open the layers of an onion, in order, the curator or analyst
        last.
        """
        due = range(1, paired(len(openers) - 1) + 1)
        return set(due) <= self.opened.get(number, {}).keys()
