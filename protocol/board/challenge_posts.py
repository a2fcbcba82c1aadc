"""The posts of challenges on the board, by round (reasons in challenge.py)."""

from dataclasses import dataclass, field

from ..wire.messages import Accepted, BallotMarks, Body
from ..wire.peer_messages import Share, ShareSecret


@dataclass(slots=True)
class Challenged:
    """By round: shares of the lock, accepted envelopes, marks, and the opened shares.

    Attributes:
        shares: shares of the lock, by party.
        accepted: the envelopes that the first shuffler accepted.
        marks: the marks of the ballots that arrived at the reader.
        share_secrets: the secrets of shufflers' shares.
    """

    shares: dict[int, dict[str, Share]] = field(default_factory=dict)
    accepted: dict[int, Accepted] = field(default_factory=dict)
    marks: dict[int, BallotMarks] = field(default_factory=dict)
    share_secrets: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def learn(self, author: str, number: int, body: Body) -> None:
        """Keep a post that was right."""
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
        """Whether all shufflers have shown their shares of a round."""
        return set(openers[:-1]) <= self.share_secrets.get(number, {}).keys()
