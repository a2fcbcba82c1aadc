"""What a program is handed to check of a run: what was recorded, and what result.json claims.

Made by the rooms above (scoring/result.py, verification/evidence.py); programs know no more.
"""

# pyright: reportReturnType=false
# A method of a Protocol is its docstring; mypy and the language take it for a stub.

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import UnsetType

from ...protocol.messages import Counts
from ...protocol.transcript import Transcript

if TYPE_CHECKING:
    from ...protocol.schema import Schema
    from ..schema.model import Scenario
    from .findings import Findings
    from .peers.found import PeersFound


class NoGround(Exception):
    """There is nothing to check this against."""


class Claims(Protocol):
    """What result.json says, as far as a program reads it (scoring/result.py has all of it)."""

    @property
    def seed(self) -> int | None:
        """None where system randomness was used."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of columns."""

    @property
    def marginals(self) -> Mapping[str, Mapping[str, int]]:
        """Feature -> value -> people."""

    @property
    def decision(self) -> Any:
        """What the curator decided: a WrittenDecision, or None."""

    @property
    def release(self) -> Any:
        """What was released: a WrittenRelease, or None."""

    @property
    def exposure(self) -> Any:
        """A WrittenExposure: true, promised, possible."""

    @property
    def burned(self) -> str | None:
        """Why a round was not completed."""

    @property
    def digest(self) -> str:
        """Names the run."""

    @property
    def peers(self) -> "PeersFound | UnsetType":
        """Who was named among peers, and what coalitions follow."""

    @property
    def findings(self) -> "Findings | UnsetType":
        """What the program found."""


class Recorded(Protocol):
    """The run folder that evidence is about.

    Attributes:
        scenario: what was played.
        result: what result.json says.
        sizes: values of each column.
    """

    @property
    def scenario(self) -> "Scenario":
        """What was played."""

    @property
    def result(self) -> "Claims":
        """What result.json says."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Values of each column."""


class Evidence(Protocol):
    """A run as a program checks it (verification/evidence.py)."""

    @property
    def run(self) -> Recorded:
        """The run folder."""

    @property
    def result(self) -> "Claims":
        """What result.json says."""

    @property
    def schema(self) -> "Schema":
        """The schema announced, or agreed on beforehand."""

    @property
    def transcript(self) -> Transcript:
        """What was recorded; NoGround for an ideal run."""

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """The counts of a round, and who vouches for them; NoGround if it was not counted."""
