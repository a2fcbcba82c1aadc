"""What a release program is handed and what it gives back: plain data between rooms.

The rooms above (scoring, play, verification) make or read these; the programs know no more of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...protocol.messages import Call, Counts, Decision
from ...protocol.transcript import Row, Transcript
from ...protocol.view import View

if TYPE_CHECKING:
    from ..schema.model import Scenario
    from .peers.score import PeersFound

Mode = Literal["real", "ideal"]  # every message is sent, or the same questions without any
Report = Callable[[str], None]  # is told, in one line each, what an instrument has to say


class NoGround(Exception):
    """There is nothing to check this against."""


class Recorded(Protocol):
    """The run folder that evidence is about.

    Attributes:
        scenario: what was played.
        result: the plain data of result.json.
        sizes: values of each column.
    """

    @property
    def scenario(self) -> "Scenario":
        """What was played."""

    @property
    def result(self) -> Mapping[str, Any]:
        """The plain data of result.json."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Values of each column."""


class Evidence(Protocol):
    """A run as a program checks it (verification/evidence.py)."""

    @property
    def run(self) -> Recorded:
        """The run folder."""

    @property
    def result(self) -> Mapping[str, Any]:
        """The plain data of result.json."""

    @property
    def transcript(self) -> Transcript:
        """What was recorded; NoGround for an ideal run."""

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """The counts of a round, and who vouches for them; NoGround if it was not counted."""


@dataclass(frozen=True, slots=True)
class Considered:
    """A set of columns the curator looked at: what it could have promised, and by which rule."""

    columns: tuple[str, ...]
    promised: float
    rule: str
    safe: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A column that is not released, and what it would take.

    promised: the exposure that could be promised with it, which is also the smallest max_exposure
    that would admit it. largest_k: the largest crowd size that would admit it at this max_exposure
    (None where the rule is not asked about other k). forbidden: the scenario forbids it anyway.
    """

    column: str
    promised: float
    largest_k: int | None
    forbidden: bool


@dataclass(frozen=True, slots=True)
class Raised:
    """An alarm on the board: who raised it, about what in which round."""

    party: str
    round: int
    cause: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What one attack has achieved: a value of at most `of`; unit: what is counted."""

    attack: str
    parties: tuple[str, ...]
    unit: str
    value: float
    of: float

    def plain(self) -> dict[str, object]:
        """As it stands in result.json."""
        return {
            "attack": self.attack,
            "parties": list(self.parties),
            "unit": self.unit,
            "value": self.value,
            "of": self.of,
        }


@dataclass(frozen=True, slots=True)
class Played:
    """What either way of playing leaves: what was counted and decided, and who saw what.

    calls: those that were answered; tallies: the counts of each.
    """

    calls: tuple[Call, ...]
    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None
    refused: Mapping[str, int]
    digest: bytes
    look: Callable[[tuple[str, ...]], View]
    transcript: Transcript | None = None
    truth: Mapping[int, Row] | None = None
    attacks: tuple[Effect, ...] = ()
    alarms: tuple[Raised, ...] = ()
    peers: "PeersFound | None" = None
