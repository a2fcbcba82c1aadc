"""Verification that the claims on open rows follow from the release.

The release is the board's. Sizes of closed groups and the best order are not on it: the check takes
them as claimed, tests that they are possible, and a replay recomputes them.
"""

from msgspec.structs import replace

from ....errors import VerificationError
from ...serialization.record import plain
from ..claim_check import claimed, require_close
from ..evidence import ProgramEvidence
from .score import OpenedRows, public_record


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute cells, depths and `cut_short` from the released counts."""
    findings, policy = claimed(evidence, OpenedRows), evidence.run.scenario.policy
    columns, schema = len(evidence.result.features), evidence.schema
    release = dict(evidence.result.release.cells)
    computed = public_record(release, schema, policy)
    claim = replace(findings, closed=(), best=None, astray=0, reader_excluded=0)
    require_close("threshold", plain(computed), plain(claim))
    if any(not 0 < size.people < policy.k or size.groups < 1 for size in findings.closed):
        raise VerificationError("groups are said to have stayed closed that k people share")
    stopped = sum(depth.people for depth in findings.depths if depth.columns < columns)
    withheld = stopped - findings.closed_people - findings.astray
    closes = policy.close == "published" and policy.sample is None
    if findings.astray < 0 or withheld < 0 or (withheld and not closes):
        raise VerificationError("other people are said to be in closed groups than are not open")
    if not 0 <= findings.reader_excluded <= findings.closed_people:
        raise VerificationError("more people are said to be known to the reader than were closed")
    return f"{findings.cells:,} cells said, of {findings.of:,}, counted again from the release"
