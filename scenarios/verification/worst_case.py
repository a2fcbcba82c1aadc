"""Is the worst case of a run found again, by the search that was recorded? Part of the replay.

The same versions of libraries on the same system find the same bounds. Others may stop with other
bounds, or find a worst table of another pair: both pairs bound the same number, so they overlap.
"""

from ...errors import VerificationError
from ..programs.registry import program_of
from ..records.run_folder import versions
from ..scoring.worst_case import DEFAULT, is_sought, seek
from .agreement import same
from .evidence import Evidence


def sought_again(evidence: Evidence) -> str:
    """Run the recorded search on the repeated run; return a clause about it for the replay.

    Raises:
        VerificationError: the record's bounds are not those of the search, or there is none.
    """
    said, outcome = evidence.result.exposure.worst_case, evidence.repeated
    if said is None:
        return ""
    decision, release = outcome.decision, outcome.release
    program = program_of(evidence.run.scenario)
    if (
        decision is None
        or release is None
        or not is_sought(decision, program, fixed=not evidence.statistical)
    ):
        raise VerificationError("exposure: worst_case is claimed, and no search fits this release")
    if said.search is None:
        return "; the worst case was recorded without the limits of its search"
    if evidence.again is None and said.search.nodes > DEFAULT.nodes:
        nodes = said.search.nodes
        return f"; the worst case was sought with {nodes:,} nodes, and is again with --replay"
    low, high = seek(release, decision, said.search).shares(sum(release.values()))
    if evidence.run.versions == versions():
        same("exposure: worst_case", [low, high], [said.low, said.high])
        return ", and the same worst case"
    if low > said.high or said.low > high:
        raise VerificationError(
            f"exposure: worst_case: {said.low:g} to {said.high:g} is claimed, and the search finds "
            f"{low:g} to {high:g}"
        )
    return "; the worst case is within the bounds that other versions of libraries find"
