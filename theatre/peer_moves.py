"""The moves of a run among peers, beside those of every run (moves.py): all of them are posts.

    call     a round begins: everybody works out what is asked
    relay    a peer hands on what it has opened, a bag for each receiver; in step 1 its own onions
    found    a peer posts the sealed ballots at the end of their paths
    count    everybody opens and counts them
    silent   a peer sealed its answers and posts nothing: its own knowledge

An onion is called by the number `peer * slots + place` of its round, blanks included, so that it
has the same number wherever it is; the page uses it only where the eyes can follow the onion. What
nobody sealed is -1.
"""

from msgspec import field

from .moves import Answers, Move

EVERYBODY = "everybody"
Bags = tuple[tuple[int, tuple[int, ...]], ...]  # receiver, by index; its onions


class PeerCall(Move, frozen=True, tag="call"):
    """A round is open.

    Attributes:
        author: everybody works it out.
        round: its number.
        asks: the columns of each question.
        slots: onions of each peer; those beyond the questions are blank.
        path: peers that every onion passes.
        says: what it asks, in a sentence.
    """

    author: str = field(name="by")
    round: int
    asks: tuple[tuple[int, ...], ...]
    slots: int
    path: int
    says: str


class PeerRelay(Move, frozen=True, tag="relay"):
    """A peer hands onions on.

    Attributes:
        author: the peer; person: by its index from 0.
        round, step: where it stands.
        bags: for each receiver.
        says: that, in a sentence.
        refused: onions that it leaves out.
        answers: what it sealed, onion by onion, () of a blank; told with the first of a round.
    """

    author: str = field(name="by")
    person: int
    round: int
    step: int
    bags: Bags
    says: str
    refused: int = 0
    answers: Answers | None = None


class PeerBallots(Move, frozen=True, tag="found"):
    """A peer posts the sealed ballots that it found at the end of their paths.

    Attributes:
        author: the peer.
        round, step: where it stands.
        number: of ballots.
        says: that, in a sentence.
    """

    author: str = field(name="by")
    round: int
    step: int
    number: int
    says: str
