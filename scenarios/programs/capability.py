"""The base class of the parts of a release program, and the kinds of answers that people submit.

A part (capabilities.py) is an object with the methods that only some programs need.
"""

from enum import StrEnum
from typing import TypeVar


class AnswerKind(StrEnum):
    """The kind of answers that people submit for a release program.

    Attributes:
        ROWS: true values, which the curator and the analyst count.
        REPORTS: values with noise, or other random reports, which the analyst counts.
        OPENED: encrypted rows, of which the analyst can decrypt only values that k people share.
    """

    ROWS = "rows"
    REPORTS = "reports"
    OPENED = "opened rows"


class Capability:
    """The base class of the parts of a release program.

    Attributes:
        keys: the keys of [policy] in a scenario file that only programs with this part read.
        answers: the kind of answers that people submit for a program with this part; None: the part
            does not determine it.
    """

    keys: tuple[str, ...] = ()
    answers: AnswerKind | None = None


C = TypeVar("C", bound=Capability)
