"""The moves of a run among peers, besides the moves of every run (moves.py): all are posts.

    call     a round begins: all peers derive its questions
    relay    a peer forwards its opened onions, a bag for each receiver; in step 1 its own onions
    found    a peer posts the sealed ballots at the end of their paths
    count    all peers open and count them
    silent   a peer sealed its answers and did not post: its own knowledge

An onion is called by the number `peer * slots + place` of its round, blanks included, so that it
has the same number at every peer; the page uses it only if the chosen peers can follow the onion.
An onion that no peer sealed is -1.
"""

from msgspec import field

from .moves import Answers, StageMove

Bags = tuple[tuple[int, tuple[int, ...]], ...]  # receiver's index, and the onions for it


class PeerCall(StageMove, frozen=True, tag="call"):
    """The move that a round of peers begins: all peers derive its questions.

    Attributes:
        author: the name that stands for all peers.
        round: the number of the round.
        asks: the columns of each question.
        slots: onions of each peer; the onions beyond the questions are blank.
        path: peers that every onion passes.
        says: the questions of the round, in a sentence.
    """

    author: str = field(name="by")
    round: int
    asks: tuple[tuple[int, ...], ...]
    slots: int
    path: int
    says: str


class PeerRelay(StageMove, frozen=True, tag="relay"):
    """The move of a peer that forwards onions.

    Attributes:
        author, person: the peer, and its index, from 0.
        round, step: the round and the step of the post.
        bags: the onions for each receiver.
        says: the move, in a sentence.
        refused: the number of onions that the peer refused.
        answers: the peer's sealed answers, onion by onion, () for a blank; None after the first
            relay of a round.
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
    """The move of a peer that posts the sealed ballots it found at the end of their paths.

    Attributes:
        author: the peer.
        round, step: the round and the step of the post.
        number: the number of ballots.
        says: the move, in a sentence.
    """

    author: str = field(name="by")
    round: int
    step: int
    number: int
    says: str
