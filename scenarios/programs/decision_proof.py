"""Verification of a decision: by the program that its rule names, else by a rule of `analysis`."""

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

    Raises VerificationError if its bound on the released columns is smaller than can be proved. A
    rule that begins with a kind of program is proved by this program, any other rule by `analysis`.
    """
    rule = decision.certificate.rule
    for kind, owner in PROGRAMS.items():
        if rule.startswith(kind) and (proof := owner.capability(OwnProof)):
            proof.verify(decision, schema, round_results)
            return
    program.verify_decision(decision, schema, round_results)
