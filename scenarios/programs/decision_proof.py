"""The proof of a decision: by the program that its rule is called after, or by the analysis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .capabilities import OwnProof
from .curated import program
from .registry import PROGRAMS

if TYPE_CHECKING:
    from ...protocol.board.strategies import RoundResult
    from ...protocol.wire.messages import Decision
    from ...protocol.wire.schema import Schema


def verify_decision(
    decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
) -> None:
    """Recompute a decision's certificate from all that the curator read.

    Raises VerificationError if it claims less than can be proved of the released columns. A rule
    that is called after a kind is proved by its program, any other rule by the analysis.
    """
    rule = decision.certificate.rule
    for kind, owner in PROGRAMS.items():
        if rule.startswith(kind) and (proof := owner.capability(OwnProof)):
            proof.verify(decision, schema, round_results)
            return
    program.verify_decision(decision, schema, round_results)
