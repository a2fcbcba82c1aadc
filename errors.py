"""Every exception that veilmix raises on purpose. Any other exception is a bug.

    VeilmixError
    |-- LocalError                  the caller of veilmix is wrong: stop (exit code 2)
    |   |-- ParameterError          an argument outside its range (also a ValueError)
    |   |   `-- UnknownParty          a name that no party has (also a KeyError)
    |   |-- ScenarioError           a scenario file; carries every problem in it
    |   |-- DataError               a table of people that cannot be used
    |   |-- StorageError            a file or folder that cannot be read or written
    |   `-- IllegalMove             a party was told to act in a wrong phase of the session
    |                               (see protocol/board/phases.py)
    |-- RemoteError                 another party is wrong: drop its message, count it, go on
    |   `-- Refused                 one message that is not accepted, with its `reason`
    |-- VerificationError           a certificate, board or record that does not prove its claim
    |-- Stopped                     a party's process that was told to end, by SIGTERM (exit
    |                               code 143)
    |-- SolverError                 a solver's process cannot be started, or ended (exit code 2)
    `-- RoundBurned                 a round that may not be completed; its output is withheld
                                    (exit code 3)

A message names the file, field or party, the value found, the accepted values, and the next step.
It never holds a key, a salt or a seed.
"""

import errno
from collections.abc import Sequence
from enum import StrEnum

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # error numbers of a full disk


class Reason(StrEnum):
    """The reasons why a party refuses a message of another party.

    The value of a reason is its name in counts, results and documents.
    """

    MALFORMED = "malformed"
    WRONG_SIZE = "wrong-size"
    DOES_NOT_OPEN = "does-not-open"
    DUPLICATE = "duplicate"
    LATE = "late"
    UNEXPECTED = "unexpected"
    OUTSIDE_DOMAIN = "outside-domain"
    UNREGISTERED = "unregistered"


class VeilmixError(Exception):
    """The base class of every exception that veilmix raises on purpose."""


class LocalError(VeilmixError):
    """The caller of veilmix made a mistake; the call had no effect, and no file was written."""


class Stopped(VeilmixError):
    """A party's process was told to end before its session was over.

    The message says how the session can be continued.
    """


class ParameterError(LocalError, ValueError):
    """An argument is outside its range: the message names it, its value and the accepted values."""


class UnknownParty(ParameterError, KeyError):
    """No party has this name, or this coalition was not measured; the message lists known names."""

    __str__ = Exception.__str__  # KeyError would put the message in quotes


class ScenarioError(LocalError):
    """A scenario file is invalid. `problems` lists every mistake, a line for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Set the problems, which are also the lines of the message."""
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class DataError(LocalError):
    """A table of people cannot be used: the message names file, column and value."""


class StorageError(LocalError):
    """A file or folder cannot be read or written; its earlier content is unchanged."""


class IllegalMove(LocalError):
    """A party was told to act in a phase of the session that does not allow this action."""


class RemoteError(VeilmixError):
    """Another party made a mistake. The receiver drops its message, counts it and goes on."""


class Refused(RemoteError):
    """One message of another party is not accepted; the error has the reason.

    The error reveals no more than outsiders may know.

    Attributes:
        reason: the reason of the refusal.
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        """Set the reason; `detail` is added to the message and must reveal no secret."""
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason


class VerificationError(VeilmixError):
    """A certificate, board or record does not prove its claim."""


class SolverError(VeilmixError):
    """The process of an optimization solver cannot be started, or ended before it answered."""


class RoundBurned(VeilmixError):
    """A round was aborted: its output is withheld and it is not run again."""
