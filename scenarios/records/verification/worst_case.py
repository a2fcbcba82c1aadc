"""The check of a run's worst case, by repeating its recorded search; a part of the check `replay`.

The worst case is the largest exposure of any table with the release's marginals; a search finds a
lower and an upper bound on it. The same versions of libraries on the same system find the same
bounds. Other versions may stop with different bounds, but both pairs bound the same number, so they
overlap.
"""

from ....errors import VerificationError
from ...lab.scoring.worst_case import DEFAULT, is_sought, seek
from ...programs.registry import program_of
from ..run_folder import versions
from .agreement import require_equal
from .evidence import RecordEvidence


def sought_again(evidence: RecordEvidence) -> str:
    """Return a clause about the worst case, for a replay, after repeating the recorded search.

    Raises:
        VerificationError: the recorded bounds contradict the bounds found again, or a worst case is
            claimed for a release that has no such search.
    """
    claimed, outcome = evidence.result.exposure.worst_case, evidence.repeated
    if claimed is None:
        return ""
    decision, release = outcome.decision, outcome.release
    program = program_of(evidence.run.scenario)
    if (
        decision is None
        or release is None
        or not is_sought(decision, program, fixed=not evidence.statistical)
    ):
        raise VerificationError(
            "exposure: worst_case is claimed, but this release has no search for a worst case"
        )
    if claimed.search is None:
        return "; the worst case was recorded without the limits of its search"
    if evidence.wants_replay is None and claimed.search.nodes > DEFAULT.nodes:
        nodes = claimed.search.nodes
        return f"; the worst case was searched with {nodes:,} nodes; --replay repeats this"
    low, high = seek(release, decision, claimed.search).shares(sum(release.values()))
    if evidence.run.versions == versions():
        require_equal("exposure: worst_case", [low, high], [claimed.low, claimed.high])
        return ", and the same worst case"
    if low > claimed.high or claimed.low > high:
        raise VerificationError(
            f"exposure: worst_case: {claimed.low:g} to {claimed.high:g} is claimed, and the search "
            f"finds {low:g} to {high:g}"
        )
    return "; the worst case is within the bounds that other versions of libraries find"
