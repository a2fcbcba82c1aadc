"""The posts of challenges on the board, by round.

In a challenge, users check that their ballots arrived before any ballot is opened (challenge.py).
"""

from dataclasses import dataclass, field

from ..wire.messages import Accepted, BallotMarks, Body
from ..wire.peer_messages import Share, ShareSecret


@dataclass(slots=True)
class Challenged:
    """The challenge posts of all rounds; the keys of each mapping are round numbers.

    Ballots are locked: sealed to a joint key of which each shuffler, and the curator or analyst,
    hold a share.

    Attributes:
        shares: public shares of the joint key, by party.
        accepted: the envelopes that the first shuffler accepted.
        marks: the hashes of the locked ballots that arrived at the reader.
        share_secrets: the revealed secrets of shufflers' shares, by party; they open the ballots.
    """

    shares: dict[int, dict[str, Share]] = field(default_factory=dict)
    accepted: dict[int, Accepted] = field(default_factory=dict)
    marks: dict[int, BallotMarks] = field(default_factory=dict)
    share_secrets: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def learn(self, author: str, number: int, body: Body) -> None:
        """Store a challenge post that passed its checks; ignore every other kind of post.

        author: the party that posted it. number: the round.
        """
        match body:
            case Share():
                self.shares.setdefault(number, {})[author] = body
            case Accepted():
                self.accepted[number] = body
            case BallotMarks():
                self.marks[number] = body
            case ShareSecret(secret=secret):
                self.share_secrets.setdefault(number, {})[author] = secret

    def unlocked(self, number: int, openers: tuple[str, ...]) -> bool:
        """Whether all shufflers of a round have revealed their secret shares of the joint key.

        openers: the shufflers in order, then the curator or analyst, with a share that stays
        secret.
        """
        return set(openers[:-1]) <= self.share_secrets.get(number, {}).keys()
