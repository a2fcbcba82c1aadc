"""Does what is said of opened rows follow from the release?

The release is the board's. Sizes of closed groups and the best order are not on it: they are taken
as claimed, must be possible, and are found again by a replay.
"""

from msgspec.structs import replace

from ....errors import VerificationError
from ...serialization.record import plain
from ..claims import claimed, same
from ..evidence import Evidence
from .score import Opened, shown


def recomputed(evidence: Evidence) -> str:
    """Cells, depths and who is cut short, from the released counts."""
    said, policy = claimed(evidence, Opened), evidence.run.scenario.policy
    columns = len(evidence.result.features)
    release = dict(evidence.result.release.cells)
    computed = shown(release, columns, policy)
    same("threshold", plain(computed), plain(replace(said, closed=(), best=None, astray=0)))
    if any(not 0 < size.people < policy.k or size.groups < 1 for size in said.closed):
        raise VerificationError("groups are said to have stayed closed that k people share")
    stopped = sum(depth.people for depth in said.depths if depth.columns < columns)
    if said.astray < 0 or said.closed_people + said.astray != stopped:
        raise VerificationError("other people are said to be in closed groups than are not open")
    return f"{said.cells:,} cells said, of {said.of:,}, counted again from the release"
