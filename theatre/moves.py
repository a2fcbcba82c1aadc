"""The moves of a run: its events in the order in which the page receives them, as JSON.

Every event is a move, whichever party saw it. The page shows the moves that the parties chosen by
the viewer see.

    post     a message on the board: all parties see it
    send     a person submits an envelope: seen by sender, receiver and the network
    batch    a shuffler forwards all onions it has opened: seen by sender, receiver and the network
    silent   a person sealed an envelope and did not send it: only this person knows
    count    a reader opened and counted a round: only the reader knows
    refuse   a party refused messages: only the party knows, until its post reports them

An onion has the number `person * questions + question` in its round, the same at every party. The
page uses the number only if the chosen parties can follow the onion. An onion that no user sealed
has the number -1.
"""

from collections.abc import Callable

from msgspec import UNSET, UnsetType, field

from ..scenarios.serialization.record import Record

Answers = tuple[tuple[str, ...], ...]  # for each question of the round, the answered values
# for each question: combinations of answered values, each with its number of people
Tables = tuple[tuple[tuple[tuple[str, ...], int], ...], ...]
NO_PERSON = -1  # stands for the index of a person if there is no such person


class StageMove(Record, frozen=True, tag_field="what", omit_defaults=True):
    """The base class of moves (events of a run for the page); `what` is the kind in JSON."""


MoveHandler = Callable[[StageMove], None]


class PostMove(StageMove, frozen=True, tag="post"):
    """The move (event for the page) of a message on the board.

    Attributes:
        author: the party that made the post.
        kind: the kind of the message, such as `call`.
        round: the number of the round.
        says: the meaning of the post, in a sentence.
        asks: for a call, the columns of each question.
        openers: for a call, the parties that open the layers of an answer, outermost first.
        slots: for a call, the number of onions in an envelope.
        hop, received, sent: for a shuffler's post after mixing, its position in the mix from 1, and
            the numbers of messages that it received and forwarded.
        opened: in an audit, the messages that this hop has opened on the board, as indices of
            people at the first hop (envelopes) and as numbers of onions at later hops.
        counts: for a reader's post, its counts, if they are public.
        alike: for released counts, lines about people with equal values.
        kept: for a decision, the released columns.
        promise, rule: for a decision, its certified bound on exposure, and the method that proves
            it.
        step: for a peer's post, the step of the round.
        named: for an aborted round of peers, the peers at fault.
        taken: in a verified mix, people by index. For a keyholder's post with ballots: the people
            that handed them in. For a call: the people with ballots of round 1 that are mixed
            again.
        seal: in a verified mix, whether the proof of a shuffle or of decryption shares holds:
            `holds`, `broken` or `unchecked`.
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
    """The move (event for the page) of an envelope that a person submits.

    Attributes:
        sender: the party that submits the envelope.
        receiver: the first shuffler, or a keyholder of a verified mix.
        round: the number of the round.
        person: index of the person from 0; NO_PERSON if no person sent it.
        answers: the person's sealed answers; None if an earlier move has them, or without a person.
        fault: `altered`, `repeated`, `late`, `uninvited`, `copied`, `forged`, or "" (no fault).
        unlinked: whether it is not the envelope that this person sealed, so that a reader cannot
            link its answers to the person.
        copies: for a copied envelope, the index of the person that sealed the original.
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
    """The move (event for the page) of a person that sealed an envelope and did not send it.

    Attributes:
        party: the name of the person.
        person: the index of the person, from 0.
        round: the number of the round.
        answers: the sealed answers.
    """

    party: str = field(name="by")
    round: int
    person: int
    answers: Answers


class BatchMove(StageMove, frozen=True, tag="batch"):
    """The move (event for the page) of a batch of onions that leaves a shuffler.

    Attributes:
        sender, receiver: the parties that send and receive the batch.
        round: the number of the round.
        onions: numbers of the onions, in the order in which they leave.
    """

    sender: str = field(name="by")
    receiver: str = field(name="to")
    round: int
    onions: tuple[int, ...]


class CountMove(StageMove, frozen=True, tag="count"):
    """The move (event for the page) of a reader that has opened the last layer and counted.

    Attributes:
        reader: the name of the reader.
        round: the number of the round.
        counts: for each question the answered values, and the number of people with each.
        alike: lines about people with equal values, if the counts are the release.
    """

    reader: str = field(name="by")
    round: int
    counts: Tables
    alike: tuple[str, ...] = ()


class Refuse(StageMove, frozen=True, tag="refuse"):
    """The move (event for the page) of a party that has refused messages.

    Attributes:
        party: the party that refused the messages.
        round: the number of the round.
        reason: the reason for the refusals.
        number: the number of refused messages.
        envelopes: the refused envelopes, if known: their places, from 0, among all envelopes of the
            session in order of sending.
    """

    party: str = field(name="by")
    round: int
    reason: str
    number: int
    envelopes: tuple[int, ...]
