"""The interface by which a release program verifies a run: its record and result.json's claims.

lab/scoring/result.py and records/verification/evidence.py implement it. Release programs see no
other part of a record.
"""

# pyright: reportReturnType=false
# A method of a Protocol has only a docstring here, which pyright would report as a missing return.

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
    """The error that a claim cannot be checked, because the record lacks the data to compute it."""


class Claims(Protocol):
    """The part of result.json that a release program reads (see lab/scoring/result.py)."""

    @property
    def seed(self) -> int | None:
        """The seed of the run; None if system randomness was used."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def marginals(self) -> Mapping[str, Mapping[str, int]]:
        """The counts of round 1: for each feature, the number of people with each value."""

    @property
    def decision(self) -> Any:
        """The decision of the curator: a WrittenDecision, or None."""

    @property
    def release(self) -> Any:
        """The release: a WrittenRelease, or None."""

    @property
    def exposure(self) -> Any:
        """A WrittenExposure: the true exposure (share of people), the bound, the worst case."""

    @property
    def burned(self) -> str | None:
        """The reason why a round was aborted; None if all rounds were completed."""

    @property
    def digest(self) -> str:
        """The digest of all posts on the board, in hex, which identifies the run."""

    @property
    def peers(self) -> "PeersFound | UnsetType":
        """The findings among peers: misbehaving peers, and messages that coalitions trace."""

    @property
    def findings(self) -> "Findings | UnsetType":
        """The release program's own findings; UNSET if the program writes none."""


class Recorded(Protocol):
    """A recorded run, as a release program reads it for verification.

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
    """The input of a release program's `verify`: a recorded run and its counts.

    records/verification/evidence.py implements this interface.
    """

    @property
    def run(self) -> Recorded:
        """The recorded run: scenario, result and sizes of columns."""

    @property
    def result(self) -> "Claims":
        """The content of result.json."""

    @property
    def schema(self) -> "Schema":
        """The features with their values, as announced, or as agreed among peers.

        The record of an ideal run (without messages) has only the number of values of each feature.
        """

    @property
    def transcript(self) -> Transcript:
        """The recorded messages; raises NoGround for an ideal run, which has no messages."""

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """Return the counts of a round, one for each set of columns in its query, and their source.

        number: the round, from 1. The source is a clause. Raises NoGround if the round was not
        counted.
        """
