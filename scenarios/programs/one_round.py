"""The base class of release programs with a single round, in which no columns are chosen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..schema.model import Policy
from .capability import Capability
from .curated.program import Decided

if TYPE_CHECKING:
    from ...protocol.wire.messages import Call
    from ...protocol.wire.schema import Schema


class OneRound(Decided):
    """The base class of release programs with a single query; its answers are the release."""

    capabilities: tuple[Capability, ...] = ()

    def rounds(self, policy: Policy, schema: "Schema") -> "Sequence[Call]":  # noqa: ARG002
        """Return the queries of a session: a list with the single query."""
        from ...protocol.board.strategies import first_call
        from ...protocol.wire.announcement import Program

        return [first_call(Program(self.wire), schema)]
