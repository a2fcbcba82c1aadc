"""The moves (events for the page) of a run among peers, besides moves.py: all are posts.

    call     a round begins: all peers derive its questions
    relay    a peer forwards the onions it opened, a bag for each receiver; in step 1 its own onions
    found    a peer posts the sealed ballots that it found at the end of their paths

Of moves.py, `count` means that all peers open and count the ballots. `silent` means that a peer
sealed its answers and did not post them, which only this peer knows.

An onion has the number `peer * slots + place` in its round, the same at every peer: `slots` is the
number of onions of a peer, blanks (without an answer) included. The page uses the number only if
the chosen peers can follow the onion. An onion that no peer sealed has the number -1.
"""

from msgspec import field

from .moves import Answers, StageMove

# for each receiving peer: its index from 0, and the numbers of the onions for this peer
Bags = tuple[tuple[int, tuple[int, ...]], ...]


class PeerCall(StageMove, frozen=True, tag="call"):
    """The move (event for the page) that a round of peers begins: all peers derive its questions.

    Attributes:
        author: the name that stands for all peers.
        round: the number of the round.
        asks: the columns of each question.
        slots: the onions of each peer; onions beyond the number of questions are blank.
        path: the number of peers that each onion passes.
        says: the questions of the round, in a sentence.
    """

    author: str = field(name="by")
    round: int
    asks: tuple[tuple[int, ...], ...]
    slots: int
    path: int
    says: str


class PeerRelay(StageMove, frozen=True, tag="relay"):
    """The move (event for the page) of a peer that forwards onions.

    Attributes:
        author: the name of the peer.
        person: the index of the peer, from 0.
        round, step: the numbers of the round and the step of the post.
        bags: the onions for each receiver.
        says: the event, in a sentence.
        refused: the number of onions that the peer refused.
        answers: the peer's sealed answers, onion by onion, () for a blank onion; None after step 1.
    """

    author: str = field(name="by")
    person: int
    round: int
    step: int
    bags: Bags
    says: str
    refused: int = 0
    answers: Answers | None = None


class PeerBallots(StageMove, frozen=True, tag="found"):
    """The move (event for the page) of a peer that posts the sealed ballots that reached it.

    Attributes:
        author: the name of the peer.
        round, step: the numbers of the round and the step of the post.
        number: the number of ballots.
        says: the event, in a sentence.
    """

    author: str = field(name="by")
    round: int
    step: int
    number: int
    says: str
