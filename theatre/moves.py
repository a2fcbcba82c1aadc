"""The moves of a run: what the page is given, one after the other.

Everything that happened is a move, whoever saw it; the page shows of it what the chosen eyes see.

    post     a message on the board: everybody sees it
    send     a person hands in an envelope: seen by both ends, and by the network
    batch    a shuffler hands on all it has opened: the same
    silent   a person sealed an envelope and sent none: its own knowledge
    count    a reader opened and counted a round: its own knowledge
    refuse   a party refused messages: its own knowledge, until its account is on the board

An onion is called by the number `person * questions + question` of its round, so that it has the
same number wherever it is; the page uses it only where the eyes can follow the onion. What nobody
sealed is -1.
"""

from collections.abc import Callable

from msgspec import UNSET, UnsetType, field

from ..scenarios.serialization.record import Record

Answers = tuple[tuple[str, ...], ...]  # per question of the round, the values said
Tables = tuple[tuple[tuple[tuple[str, ...], int], ...], ...]  # per question, values and people
NOBODY = -1  # instead of the index of a person


class Move(Record, frozen=True, tag_field="what", omit_defaults=True):
    """One thing that happened, as the page reads it: `what`, then its fields by their names."""


Tell = Callable[[Move], None]


class Post(Move, frozen=True, tag="post"):
    """A message on the board.

    Attributes:
        author: who posts it.
        kind: of message.
        round: its number.
        says: what it says, in a sentence.
        asks: of a call: the columns of each question.
        openers: of a call: who opens the layers of an answer, outermost first.
        slots: of a call: onions of an envelope.
        hop, received, sent: of a shuffler's account.
        opened: of an audit: what this hop has opened before everybody, as numbers of people at the
            first hop (envelopes) and of onions at the others.
        counts: of a reader's account, where they are public.
        alike: of the counts that are released: what they tell of people who are alike.
        kept: of a decision: columns; promise, rule: what is promised of them, by which rule.
        step: of a peer's post: that of its round.
        named: of a round of peers that was burned: who was named for it.
    """

    author: str = field(name="by")
    kind: str
    round: int
    says: str
    asks: tuple[tuple[int, ...], ...] | UnsetType = UNSET
    openers: tuple[str, ...] | UnsetType = UNSET
    slots: int | UnsetType = UNSET
    hop: int | UnsetType = UNSET
    received: int | UnsetType = UNSET
    sent: int | UnsetType = UNSET
    opened: tuple[int, ...] | UnsetType = UNSET
    counts: Tables | UnsetType = UNSET
    alike: tuple[str, ...] = ()
    kept: tuple[int, ...] | UnsetType = UNSET
    promise: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    step: int | UnsetType = UNSET
    named: tuple[str, ...] | UnsetType = UNSET


class Send(Move, frozen=True, tag="send"):
    """An envelope on its way to the first shuffler.

    Attributes:
        sender: who hands it in.
        receiver: the first shuffler.
        round: its number.
        person: index from 0, NOBODY if no person sent it.
        answers: what was sealed, told with the first envelope of a round only.
        fault: `altered`, `repeated`, `late`, `uninvited`, `copied`, `forged`, or "" for none.
        unlinked: whether it is not the envelope this person sealed, so that whoever opens it does
            not know who said it.
        copies: whose envelope a copied one is.
    """

    sender: str = field(name="by")
    receiver: str = field(name="to")
    round: int
    person: int
    answers: Answers | None = None
    fault: str = ""
    unlinked: bool = False
    copies: int = NOBODY


class Silent(Move, frozen=True, tag="silent"):
    """A person who had sealed an envelope has not sent it in time.

    Attributes:
        party: the person, by its name; person: by its index from 0.
        round: its number.
        answers: what was sealed.
    """

    party: str = field(name="by")
    round: int
    person: int
    answers: Answers


class Batch(Move, frozen=True, tag="batch"):
    """All onions that leave a shuffler.

    Attributes:
        sender, receiver: of the batch.
        round: its number.
        onions: in the order in which they leave.
    """

    sender: str = field(name="by")
    receiver: str = field(name="to")
    round: int
    onions: tuple[int, ...]


class Count(Move, frozen=True, tag="count"):
    """A reader has opened the last layer.

    Attributes:
        reader: who.
        round: its number.
        counts: per question the values, and how many said them.
        alike: what they tell of people who are alike, if they are the release.
    """

    reader: str = field(name="by")
    round: int
    counts: Tables
    alike: tuple[str, ...] = ()


class Refuse(Move, frozen=True, tag="refuse"):
    """Messages that a party refused.

    Attributes:
        party: who refused them.
        round: its number.
        reason: why.
        number: of messages.
        envelopes: which, where that is known, as numbers of the session's envelopes from 0.
    """

    party: str = field(name="by")
    round: int
    reason: str
    number: int
    envelopes: tuple[int, ...]
