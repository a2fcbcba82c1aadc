"""The table of all messages: for each kind, the class of its content, and its author."""

from collections.abc import Mapping
from typing import NamedTuple

from .announcement import Announcement
from .audit_messages import Coin, Opened, Toss, Traced
from .messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Batch,
    Burned,
    Call,
    Closed,
    CommittedDecision,
    Consent,
    Decision,
    Head,
    Key,
    Kind,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Submission,
    Tally,
)
from .peer_messages import Accusation, Agreed, FoundBallots, Relay, Share, ShareSecret
from .records import Body
from .token_messages import Ask, Evaluated, Grant, Issued, Mint, PublicGrant, Query, Roll
from .verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)


class Row(NamedTuple):
    """The content class and the author of a kind of message.

    Attributes:
        body: the class of the content.
        author: the party that sends the message; after an arrow, the receiver if it is not the
            board.
    """

    body: type[Body]
    author: str


TABLE: Mapping[int, Row] = {
    Kind.KEY: Row(Key, "keyholder"),
    Kind.ANNOUNCEMENT: Row(Announcement, "curator"),
    Kind.CONSENT: Row(Consent, "keyholder"),
    Kind.CALL: Row(Call, "curator"),
    Kind.SUBMISSION: Row(Submission, "user->shuffler-1"),
    Kind.BATCH: Row(Batch, "shuffler->next"),
    Kind.MIXED: Row(Mixed, "shuffler"),
    Kind.TALLY: Row(Tally, "reader"),
    Kind.DECISION: Row(Decision, "curator"),
    Kind.BURNED: Row(Burned, "keyholder, curator"),
    Kind.CLOSED: Row(Closed, "curator"),
    Kind.REGISTRY: Row(Registry, "curator"),
    Kind.ALARM: Row(Alarm, "anyone"),
    Kind.RELAY: Row(Relay, "peer"),
    Kind.FOUND: Row(FoundBallots, "peer"),
    Kind.AGREED: Row(Agreed, "peer"),
    Kind.ACCUSATION: Row(Accusation, "peer"),
    Kind.ROSTER: Row(Roster, "curator"),
    Kind.HEAD: Row(Head, "board"),
    Kind.SHARE: Row(Share, "peer, keyholder"),
    Kind.SHOWN: Row(ShareSecret, "peer, shuffler"),
    Kind.COMMITTED: Row(CommittedDecision, "curator"),
    Kind.CERTIFICATE: Row(OpenedCertificate, "curator"),
    Kind.MINT: Row(Mint, "reader, randomness"),
    Kind.ASK: Row(Ask, "user->reader or board"),
    Kind.GRANT: Row(Grant, "reader->user"),
    Kind.ISSUED: Row(Issued, "reader"),
    Kind.ROLL: Row(Roll, "reader->reader"),
    Kind.ACCEPTED: Row(Accepted, "shuffler-1"),
    Kind.HEARD: Row(BallotMarks, "reader"),
    Kind.COIN: Row(Coin, "keyholder"),
    Kind.TRACED: Row(Traced, "shuffler"),
    Kind.TOSS: Row(Toss, "keyholder"),
    Kind.OPENED: Row(Opened, "shuffler"),
    Kind.GRANTED: Row(PublicGrant, "reader"),
    Kind.QUERY: Row(Query, "user->randomness"),
    Kind.EVALUATED: Row(Evaluated, "randomness->user"),
    Kind.KEYS: Row(BallotKeys, "keyholder"),
    Kind.HANDED: Row(HandedBallots, "keyholder"),
    Kind.CHECKED: Row(CheckedBallots, "keyholder"),
    Kind.SHUFFLED: Row(ShuffledLists, "shuffler"),
    Kind.SHARED: Row(OpeningShares, "keyholder"),
}

KINDS: Mapping[type, Kind] = {row.body: Kind(kind) for kind, row in TABLE.items()}
