"""Limits of saved posts: facts about a session that its posts cannot show to a later reader.

docs/evidence.md has the same sentences, so both are changed together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...protocol.board.board import Board
from ...protocol.wire.announcement import Announcement
from ...protocol.wire.parties import Role
from .saved_session import SessionEvidence

ALWAYS = (
    "answers: whether people said what is true, or exist; no post shows a person",
    "keys: whether parties pooled keys or views; pooling leaves no trace on the board",
    "alarms: tree heads do not cover them, and users sign none: one may be missing or invented",
    "times: no post has one; deadlines cannot be checked",
    "other readers: whether the board showed them the same posts; compare the digest with theirs",
)
COUNTED = "counts: whether a reader counted what it opened; only its key opens the ballots"
CURATORS_COUNT = (
    "counts: whether the curator counted what it opened; its counts are secret, and so are its "
    "decryption shares"
)
REPLACED = "ballots: whether a shuffler replaced one; of a batch the board has only size and digest"
CHALLENGED = (
    "ballots: whether a shuffler replaced one of a person who did not look; whoever looked could "
    "prove it before anything was opened"
)
KEPT_AWAY = (
    "ballots: whether a user was kept away from every honest keyholder; each listed ballot is "
    "proved to be mixed once"
)
UNREGISTERED = "people: whether one sent twice; nobody is registered, so anyone may send"
UNSIGNED = (
    "people: whether the counted are registered; only the first shuffler saw their signatures"
)
CLOSED = (
    "decision: whether it follows from the counts; they are secret, and its certificate is closed"
)
OPENED = "columns: whether others could have been released; their counts are secret"
NO_AGREEMENT = (
    "agreement: whether these are the parties, and the terms, that were agreed on; give the "
    "session file (--session)"
)


@dataclass(frozen=True, slots=True)
class CheckLimit:
    """A fact that the posts of a session cannot show.

    Attributes:
        subject: the subject of the limit, in a word, such as "counts".
        text: the fact, and the reason.
    """

    subject: str
    text: str


def limits(evidence: SessionEvidence) -> Sequence[CheckLimit]:
    """Return the facts that the posts of this session cannot show to their reader."""
    board, _ = evidence.replayed
    announcement = board.announcement
    sentences = [*ALWAYS]
    if announcement is not None:
        sentences += (
            _proved_mix_limits(board, announcement)
            if announcement.rules.verified
            else _guard_limits(announcement)
        )
    if board.committed is not None:
        sentences.append(OPENED if board.opened else CLOSED)
    if evidence.session is None:
        sentences.append(NO_AGREEMENT)
    return [CheckLimit(*sentence.split(": ", 1)) for sentence in sentences]


def _proved_mix_limits(board: Board, announcement: Announcement) -> list[str]:
    """Return the limits of a session with a verified mix (every step is proved), as sentences.

    Counts on the board are proved; counts that the curator keeps secret add a limit.
    """
    curated = any(call.reader is Role.CURATOR for call in board.calls)
    secret = curated and not announcement.policy.publish_marginals
    return [KEPT_AWAY, CURATORS_COUNT] if secret else [KEPT_AWAY]


def _guard_limits(announcement: Announcement) -> list[str]:
    """Return the limits that depend on the countermeasures of a session, as sentences."""
    rules = announcement.rules
    sentences = [COUNTED, CHALLENGED if rules.challenge else REPLACED]
    if not announcement.registry:
        sentences.append(UNREGISTERED)
    elif not rules.challenge:
        sentences.append(UNSIGNED)
    return sentences
