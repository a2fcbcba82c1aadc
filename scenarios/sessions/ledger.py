"""The ledger of a first shuffler between machines: it knows keys, and the counts on the board.

People are their registered keys: who signs with another key is another person. The counts of a
release are on the board of its session, and so are those of single columns if they are published.
Where they are secret, nothing can be proved of a group that releases give together, and it is
refused (scenarios/ledger/subtraction.py).
"""

from collections.abc import Callable
from pathlib import Path

from ...errors import ParameterError
from ...protocol import parties
from ...protocol.board import Board
from ...protocol.history import History
from ..ledger.account import Account
from ..ledger.book import Ledger, opened
from ..ledger.entry import NEVER_ENDED
from ..ledger.keep import End, begin, check_suited
from ..ledger.people import crowd_of_keys
from ..programs.registry import program_of
from .file import SessionFile
from .place import released


def check_kept(session: SessionFile, place: str) -> None:
    """ParameterError unless a place can keep a ledger of a session; DataError as `check_suited`."""
    if place != parties.shuffler(1):
        raise ParameterError(
            f"--ledger: found {place}; the first shuffler (shuffler-1) keeps it, which alone knows "
            "who took part"
        )
    if session.registry is None:
        raise ParameterError(
            "--ledger: without registered keys nobody can tell who is in two sessions; "
            'name the file of their keys in the session file: people = "hall.people.toml"'
        )
    check_suited(session.scenario, "real")
    if program_of(session.scenario).reports:
        raise ParameterError(
            "--ledger: people's machines keep no noise from session to session, so what reports "
            "with noise cost is not counted between machines; veilmix run counts it"
        )


def with_ledger(
    session: SessionFile, path: Path, play: Callable[[History], Board]
) -> tuple[Board, Account]:
    """First shuffler: play a session that a ledger knows of, and note how it ended."""
    assert session.registry is not None  # noqa: S101 - `check_kept` has refused this
    with opened(path) as ledger:
        name = session.roster.opening.hex()
        _resume(ledger, name)
        crowd = crowd_of_keys(session.registry.keys, ledger.secret())
        begun = begin(ledger, session.scenario, session.schema, crowd, None, name)
        board = play(begun.memory)
        names = session.schema.names
        kept = [names[column] for column in board.decision.kept] if board.decision else []
        end = End(name, kept, released(board, names), board.burned)
        return board, begun.end(end, None)


def _resume(ledger: Ledger, name: str) -> None:
    """Take out the last session if it is this one, killed before it had handed on anything.

    A shuffler that was killed is started again by the same command.
    """
    last = ledger.entries[-1] if ledger.entries else None
    if last and last.session == name and last.burned == NEVER_ENDED and not last.handed:
        ledger.entries.pop()
