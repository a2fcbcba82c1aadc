"""Verification of a decision: by a release program's own proof, or a rule of `analysis`."""

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
    """Recompute a decision's certificate from the counts that the curator read.

    Raises VerificationError if the certificate's exposure bound is smaller than can be proved. The
    certificate names its rule. If the name begins with the kind of a release program that has its
    own proof, that program verifies the bound, else `analysis` does. round_results: the queries
    with their counts.
    """
    rule = decision.certificate.rule
    for kind, owner in PROGRAMS.items():
        if rule.startswith(kind) and (proof := owner.capability(OwnProof)):
            proof.verify(decision, schema, round_results)
            return
    program.verify_decision(decision, schema, round_results)
