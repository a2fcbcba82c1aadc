"""A saved session as evidence: its posts, the board that they form, and the reader's session file.

The reader of the evidence brings the session file. The folder holds posts alone, because a session
file in the folder would come from the party that is to be checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...errors import ParameterError, Refused, StorageError, VerificationError
from ...machines.saved_posts import LONGEST, POSTS
from ...protocol.board.alarms import published
from ...protocol.board.board import Board
from ...protocol.board.strategies import RoundResult
from ...protocol.rounds.tallying import summed
from ...protocol.wire.announcement import Announcement
from ...protocol.wire.messages import Counts, Decision
from ...protocol.wire.parties import Role
from ...strict_text import Unreadable, from_json
from ..programs.evidence import NoGround
from ..programs.interface import ReleaseProgram
from ..programs.registry import heard_as, program_of
from .session_file import SessionFile

Posts = Sequence[tuple[str, bytes]]


def is_saved_session(folder: Path) -> bool:
    """Whether a folder holds the file of a session's saved posts."""
    return (folder / POSTS).is_file()


def read_posts(folder: Path) -> Posts:
    """Return the saved posts of a folder, in the order of the board: (author, bytes).

    Raises:
        StorageError: the file cannot be read, or a line is no post; the message has the line's
            number.
    """
    path, posts = folder / POSTS, list[tuple[str, bytes]]()
    try:
        with path.open("rb") as file:
            while line := file.readline(LONGEST):
                posts.append(_read_line(line, f"{path}, line {len(posts) + 1}"))
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read ({bad.strerror or bad})") from None
    if not posts:
        raise StorageError(f"{path}: is empty; a saved session has at least its first post")
    return posts


def _read_line(line: bytes, where: str) -> tuple[str, bytes]:
    """Return the author and the bytes of a post, from a line of the file.

    where: the file and the number of the line, for messages.
    """
    if not line.endswith(b"\n"):
        raise StorageError(f"{where}: is cut off; the machine was stopped while it wrote")
    try:
        read = from_json(line, dict[str, str])
    except Unreadable as bad:
        raise StorageError(f"{where}: {bad.why}; a JSON object of texts is accepted") from None
    if set(read) != {"author", "post"}:
        field_names = ", ".join(sorted(read)) or "none"
        raise StorageError(
            f"{where}: found the fields {field_names:.80}; author and post are accepted"
        )
    try:
        return read["author"], bytes.fromhex(read["post"])
    except ValueError:
        raise StorageError(f"{where}: post: hexadecimal digits are accepted") from None


@dataclass
class SessionEvidence:
    """The evidence for the checks of a saved session: its posts, and the reader's session file.

    If the posts lack the fact of a property, the property raises NoGround. A check that needs the
    fact then does not apply.

    Attributes:
        posts: author and bytes of each post, in order.
        session: the session file; None: the reader has no session file.
    """

    posts: Posts
    session: SessionFile | None

    @cached_property
    def replayed(self) -> tuple[Board, str]:
        """The board of all posts up to the first refused post, and the reason of that refusal."""
        board = Board()
        for number, (author, data) in enumerate(self.posts, start=1):
            try:
                board.post(author, data)
            except Refused as refused:
                return board, f"post {number}, of {author:.40}: refused ({refused.reason})"
            except ParameterError:
                return board, f"post {number}: {author:.40} is no party"
        return board, ""

    @property
    def board(self) -> Board:
        """The bulletin board of all posts.

        NoGround if a post is illegal, which another check reports.
        """
        board, fault = self.replayed
        if fault:
            raise NoGround("the board holds a post that is not legal")
        return board

    @property
    def announced(self) -> Announcement:
        """The announcement of the session; NoGround if it was never posted."""
        if self.board.announcement is None:
            raise NoGround("no announcement was posted")
        return self.board.announcement

    @property
    def agreement(self) -> SessionFile:
        """The session file of the reader; NoGround if it was not given."""
        if self.session is None:
            raise NoGround("no session file is given (--session)")
        return self.session

    @property
    def program(self) -> ReleaseProgram:
        """The release program: the session file's, else the first with the announced queries."""
        if self.session is not None:
            return program_of(self.session.scenario)
        return heard_as(self.announced.program)

    @property
    def decision(self) -> Decision:
        """The decision on the columns to release; NoGround if it was never posted."""
        if self.board.decision is None:
            raise NoGround("no decision was posted")
        return self.board.decision

    @property
    def release(self) -> Counts:
        """The released joint counts, by combination of values; NoGround without a release."""
        board = self.board
        last = board.calls[-1].reader if board.calls else None
        counted = len(board.tallies) == len(board.calls)
        counts = board.tallies[-1].counts if counted and board.tallies else None
        if last is not Role.ANALYST or board.burned is not None or counts is None:
            raise NoGround("nothing was released")
        if len(counts) != 1 or board.decision is None:
            raise NoGround("only reports with noise were counted, so there is no released table")
        return counts[0]

    @property
    def counted_rounds(self) -> list[RoundResult]:
        """The curator's rounds with their counts, if the board shows the counts.

        Raises NoGround if the counts are secret, or if there is no round.
        """
        round_results = published(self.board)
        if not round_results:
            raise NoGround("the counts of single columns are not on the board")
        return round_results

    @property
    def singles(self) -> list[Counts]:
        """The counts of each released column alone, summed from the release's joint counts."""
        joint = self.release
        return [summed(joint, (place,)) for place in range(len(self.decision.kept))]


def require_whole(evidence: SessionEvidence) -> None:
    """Raise VerificationError if the evidence has an illegal post, with its number."""
    _, fault = evidence.replayed
    if fault:
        raise VerificationError(fault)
