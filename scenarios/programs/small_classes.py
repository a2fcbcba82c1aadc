"""The number of people in classes smaller than k, in a release or known by exclusion from it."""

from typing import TYPE_CHECKING

from .capabilities import ThresholdOpening

if TYPE_CHECKING:
    from ...protocol.wire.messages import Counts
    from ...protocol.wire.schema import Schema
    from ..schema.model import Policy
    from .interface import ReleaseProgram


def exposed_people(program: "ReleaseProgram", release: "Counts", k: int) -> int:
    """Return the number of people in a released cell of fewer than k people.

    If rows are opened by threshold: of people with a value in a prefix that fewer than k share.
    """
    if opening := program.capability(ThresholdOpening):
        return opening.exposed(release, k)
    from ...analysis.exposure import users_below

    return int(users_below(list(release.values()), k))


def excluded_people(
    program: "ReleaseProgram", release: "Counts", policy: "Policy", schema: "Schema"
) -> int:
    """Return the number of people in a small class that is known although it is not released.

    Readers know it because all people outside it are in the release. 0 if every respondent is in a
    cell of the release.
    """
    opening = program.capability(ThresholdOpening)
    return opening.excluded(release, policy, schema) if opening else 0
