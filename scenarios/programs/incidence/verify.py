"""Verification that the counts of a run over sets follow from the flipped vectors.

The vectors are the board's; budget and method are the scenario's. The true counts are not on the
board: the check takes them as claimed and tests that they count the same positions. A replay draws
them again, as well as the leakage of an owner's reports.
"""

from itertools import pairwise

from ....errors import VerificationError
from ...populations.sets import piece_ends
from ...serialization.record import plain
from ..claim_check import claimed, require_close
from ..evidence import ProgramEvidence
from .score import IncidenceFindings, result, tally


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute noisy counts, estimates and limits from the vectors that were read."""
    findings = claimed(evidence, IncidenceFindings)
    counts, source = evidence.counts(1)
    ends = pairwise(piece_ends(len(evidence.run.sizes)))
    vector_tally = tally([last - first for first, last in ends], counts)
    if vector_tally is None:
        raise VerificationError("counts are claimed, and no vector was read")
    truth = findings.truth
    if truth is not None and (min(truth) < 0 or sum(truth) != findings.positions):
        raise VerificationError("what is claimed to be true of the sets are no counts of positions")
    leakage, scenario = (findings.information, findings.information_error), evidence.run.scenario
    require_close(
        "incidence",
        plain(result(scenario.incidence, scenario.local, vector_tally, truth, leakage)),
        plain(findings),
    )
    return (
        f"{findings.owners + 1} counts of {findings.positions:,} positions estimated again from "
        "the "
        f"vectors of {findings.owners} owners, from {source}"
    )
