"""The view that a program has of a run to verify: its record and the claims of result.json.

The rooms above build it (scoring/result.py, verification/evidence.py); programs know no more.
"""

# pyright: reportReturnType=false
# A method of a Protocol is its docstring; mypy and the language take it for a stub.

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import UnsetType

from ...protocol.knowledge.transcript import Transcript
from ...protocol.wire.messages import Counts

if TYPE_CHECKING:
    from ...protocol.wire.schema import Schema
    from ..schema.model import Scenario
    from .findings import Findings
    from .peer_findings import PeersFound


class NoGround(Exception):
    """There is no record to check this claim against."""


class Claims(Protocol):
    """The content of result.json that a program reads (scoring/result.py has all of it)."""

    @property
    def seed(self) -> int | None:
        """The seed; None if system randomness was used."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def marginals(self) -> Mapping[str, Mapping[str, int]]:
        """The number of people by feature and value."""

    @property
    def decision(self) -> Any:
        """The decision of the curator: a WrittenDecision, or None."""

    @property
    def release(self) -> Any:
        """The release: a WrittenRelease, or None."""

    @property
    def exposure(self) -> Any:
        """A WrittenExposure: true, promised, possible."""

    @property
    def burned(self) -> str | None:
        """The reason why a round was aborted; None if all were completed."""

    @property
    def digest(self) -> str:
        """The digest that identifies the run."""

    @property
    def peers(self) -> "PeersFound | UnsetType":
        """The peers that were charged, and the messages that coalitions follow."""

    @property
    def findings(self) -> "Findings | UnsetType":
        """The findings of the program."""


class Recorded(Protocol):
    """The run folder that evidence is about.

    Attributes:
        scenario: the scenario that was played.
        result: the content of result.json.
        sizes: the number of values of each column.
    """

    @property
    def scenario(self) -> "Scenario":
        """The scenario that was played."""

    @property
    def result(self) -> "Claims":
        """The content of result.json."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each column."""


class ProgramEvidence(Protocol):
    """A run in the form that a program verifies (verification/evidence.py)."""

    @property
    def run(self) -> Recorded:
        """The run folder."""

    @property
    def result(self) -> "Claims":
        """The content of result.json."""

    @property
    def schema(self) -> "Schema":
        """The schema: announced, or agreed on beforehand."""

    @property
    def transcript(self) -> Transcript:
        """The recorded messages; NoGround for an ideal run."""

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """Return the counts of a round and their source; NoGround if the round was not counted."""
