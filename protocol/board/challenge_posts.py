"""The state of challenges on the board, and the rules for their posts (reasons in challenge.py)."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ...crypto.joint_key import check_share, check_shown
from ..rounds.locks import share_context
from ..wire.messages import Accepted, BallotMarks, Body, Mixed
from ..wire.peer_messages import Share, ShareSecret


class Place(NamedTuple):
    """The state of a session that judging a post needs: the round, and its due posts.

    Attributes:
        session: the digest of the announcement, 32 bytes.
        number: of the round, from 1.
        openers: shufflers and the reader.
        slots: ballots of a person.
        registered: number of registered people.
        mixed: whether all shufflers have accounted for their batches.
        accepted: number of people with accepted envelopes.
        forwarded_counts: number of layers in each account so far, by hop.
        sizes: bytes of an input of each hop.
    """

    session: bytes
    number: int
    openers: tuple[str, ...]
    slots: int
    registered: int
    mixed: bool
    accepted: int
    forwarded_counts: tuple[int, ...]
    sizes: tuple[int, ...]


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

    def right(self, author: str, body: Body, at: Place) -> bool:
        """Whether a post is legal in a session with challenges; Refused if a share is invalid."""
        match body:
            case Share():
                return self._shares(author, body, at)
            case Accepted(people=people):
                first = author == at.openers[0] and at.number not in self.accepted
                return first and all(envelope.person < at.registered for envelope in people)
            case Mixed(hop=1, people=people_count):
                accepted = self.accepted.get(at.number)
                return accepted is not None and len(accepted.people) == people_count
            case BallotMarks(hashes=hashes):
                ballot_count = len(self.accepted[at.number].people) * at.slots if at.mixed else -1
                return author == at.openers[-1] and len(hashes) == ballot_count
            case ShareSecret():
                return self._shows(author, body, at)
            case _:
                return True

    def _shares(self, author: str, share: Share, at: Place) -> bool:
        if author not in at.openers or author in self.shares.get(at.number, ()):
            return False
        check_share(share.public, share.proof, share_context(at.session, at.number, author))
        return True

    def _shows(self, author: str, body: ShareSecret, at: Place) -> bool:
        hop = at.openers.index(author) + 1
        share = self.shares.get(at.number, {}).get(author)
        if share is None or body.step != hop or author in self.share_secrets.get(at.number, ()):
            return False
        check_shown(body.secret, share.public)
        return True

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
