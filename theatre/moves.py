"""The moves of a run, in the order in which the page receives them.

Every event is a move, whichever party saw it; the page shows the moves that the chosen parties see.

    post     a message on the board: all parties see it
    send     a person submits an envelope: seen by both ends, and by the network
    batch    a shuffler forwards all it has opened: the same
    silent   a person sealed an envelope and did not send it: its own knowledge
    count    a reader opened and counted a round: its own knowledge
    refuse   a party refused messages: its own knowledge, until its account is on the board

An onion is called by the number `person * questions + question` of its round, so that it has the
same number at every party; the page uses it only if the chosen parties can follow the onion. An
onion that no user sealed is -1.
"""

from collections.abc import Callable

from msgspec import UNSET, UnsetType, field

from ..scenarios.serialization.record import Record

Answers = tuple[tuple[str, ...], ...]  # for each question of the round, the answered values
# for each question, values and number of people
Tables = tuple[tuple[tuple[tuple[str, ...], int], ...], ...]
NO_PERSON = -1  # stands for the index of a person if no person is meant


class StageMove(Record, frozen=True, tag_field="what", omit_defaults=True):
    """The base class of moves: `what` (its kind), then its fields by their names, as JSON."""


MoveHandler = Callable[[StageMove], None]


class PostMove(StageMove, frozen=True, tag="post"):
    """The move of a message on the board.

    Attributes:
        author: the party that made the post.
        kind: the kind of the message, such as `call`.
        round: the number of the round.
        says: the meaning of the post, in a sentence.
        asks: for a call, the columns of each question.
        openers: for a call, the parties that open the layers of an answer, outermost first.
        slots: for a call, the number of onions in an envelope.
        hop, received, sent: for a shuffler's account, its hop and the numbers of its incoming and
            forwarded messages.
        opened: in an audit, the messages that this hop has opened on the board, as numbers of
            people at the first hop (envelopes) and of onions at later hops.
        counts: for a reader's account, its counts, if they are public.
        alike: for released counts, lines about people with equal values.
        kept: for a decision, the released columns; promise, rule: its certified bound and rule.
        step: for a peer's post, the step of the round.
        named: for an aborted round of peers, the peers at fault.
        taken: in a keyholder's post with ballots, the people that handed them in, by index; of a
            call: the people whose ballots of round 1 are mixed again.
        seal: for a shuffle or decryption shares, whether their proof holds, or `unchecked`.
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
    taken: tuple[int, ...] | UnsetType = UNSET
    seal: str | UnsetType = UNSET


class Send(StageMove, frozen=True, tag="send"):
    """The move of an envelope on its way to the first shuffler.

    Attributes:
        sender: the party that submits it.
        receiver: the first shuffler.
        round: the number of the round.
        person: index from 0, NO_PERSON if no person sent it.
        answers: the sealed answers, with the first envelope of a round only.
        fault: `altered`, `repeated`, `late`, `uninvited`, `copied`, `forged`, or "" for none.
        unlinked: whether it is not the envelope this person sealed, so that its reader cannot link
            it to that person.
        copies: index of the person with the original of a copied envelope.
    """

    sender: str = field(name="by")
    receiver: str = field(name="to")
    round: int
    person: int
    answers: Answers | None = None
    fault: str = ""
    unlinked: bool = False
    copies: int = NO_PERSON


class Silent(StageMove, frozen=True, tag="silent"):
    """The move of a person that has sealed an envelope and not sent it in time.

    Attributes:
        party: the person, by its name; person: by its index from 0.
        round: the number of the round.
        answers: the sealed answers.
    """

    party: str = field(name="by")
    round: int
    person: int
    answers: Answers


class BatchMove(StageMove, frozen=True, tag="batch"):
    """The move of a batch of onions that leaves a shuffler.

    Attributes:
        sender, receiver: the parties that send and receive the batch.
        round: the number of the round.
        onions: in the order in which they leave.
    """

    sender: str = field(name="by")
    receiver: str = field(name="to")
    round: int
    onions: tuple[int, ...]


class CountMove(StageMove, frozen=True, tag="count"):
    """The move of a reader that has opened the last layer and counted.

    Attributes:
        reader: the party.
        round: the number of the round.
        counts: per question the values, and the number of people with them.
        alike: lines about people with equal values, if the counts are the release.
    """

    reader: str = field(name="by")
    round: int
    counts: Tables
    alike: tuple[str, ...] = ()


class Refuse(StageMove, frozen=True, tag="refuse"):
    """The move of a party that has refused messages.

    Attributes:
        party: the party that refused them.
        round: the number of the round.
        reason: the reason of the refusals.
        number: the number of refused messages.
        envelopes: the refused envelopes, if known, as numbers of the session's envelopes from 0.
    """

    party: str = field(name="by")
    round: int
    reason: str
    number: int
    envelopes: tuple[int, ...]
