"""Every exception that veilmix raises on purpose. Anything else is a bug and surfaces as one.

    VeilmixError
    |-- LocalError                  the caller of veilmix is wrong: stop (exit code 2)
    |   |-- ParameterError          an argument outside its range (also a ValueError)
    |   |-- ScenarioError           a scenario file; carries every problem found in it
    |   |-- DataError               a table of people that cannot be used
    |   |-- StorageError            a file or folder that cannot be read or written
    |   `-- IllegalMove             a party was driven out of turn (see protocol/phases.py)
    |-- RemoteError                 another party is wrong: drop what it sent, count it, go on
    |   `-- Refused                 one message that is not accepted, with its `reason`
    |-- VerificationError           a certificate, board or record that does not prove what it says
    |-- SolverError                 a solver's process cannot be started, or ended (exit code 2)
    `-- RoundBurned                 a round that may not be completed; its output is withheld
                                    (exit code 3)

A message says what arrived, what was expected, where, and what to do next. It never holds a key, a
salt or a seed.
"""

import errno
from collections.abc import Sequence
from enum import StrEnum

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what the system says where a disk is full


class Reason(StrEnum):
    """Why a message was refused. The value is the name used in counts, results and documents."""

    MALFORMED = "malformed"
    WRONG_SIZE = "wrong-size"
    DOES_NOT_OPEN = "does-not-open"
    DUPLICATE = "duplicate"
    LATE = "late"
    UNEXPECTED = "unexpected"
    OUTSIDE_DOMAIN = "outside-domain"
    UNREGISTERED = "unregistered"


class VeilmixError(Exception):
    """The root: catches everything veilmix raises on purpose."""


class LocalError(VeilmixError):
    """The caller of veilmix is wrong; nothing was done, nothing was written."""


class ParameterError(LocalError, ValueError):
    """An argument is outside its range: says which, what was found and what is accepted."""


class ScenarioError(LocalError):
    """A scenario file is wrong. `problems` lists every mistake, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class DataError(LocalError):
    """A table of people cannot be used: the message names file, column, what was found."""


class StorageError(LocalError):
    """A file or folder cannot be read or written; what stood there before still stands."""


class IllegalMove(LocalError):
    """A step was asked of a party in a phase that does not allow it."""


class RemoteError(VeilmixError):
    """Another party is wrong. The receiver drops what it sent, counts it and goes on."""


class Refused(RemoteError):
    """One message is not accepted: its `reason`, and no more than a stranger may know."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason


class VerificationError(VeilmixError):
    """A certificate, board or record does not prove what it claims."""


class SolverError(VeilmixError):
    """The process of a solver cannot be started, or ended before it answered."""


class RoundBurned(VeilmixError):
    """A round may not be completed; its output is withheld and it is not run again."""
