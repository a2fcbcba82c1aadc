"""The number of people in classes smaller than k that a release shows, or reveals by exclusion.

Exclusion: all people outside the class are in the release, so a reader infers the class.
"""

from typing import TYPE_CHECKING

from .capabilities import ThresholdOpening

if TYPE_CHECKING:
    from ...protocol.wire.messages import Counts
    from ...protocol.wire.schema import Schema
    from ..schema.model import Policy
    from .interface import ReleaseProgram


def exposed_people(program: "ReleaseProgram", release: "Counts", k: int) -> int:
    """Return the number of people in a released cell of fewer than k people.

    A cell is a combination of released values. If a release program opens only rows that k people
    share, it may release only the first values of a row. Then the people are counted that have
    released first values which fewer than k people share.
    """
    if opening := program.capability(ThresholdOpening):
        return opening.exposed(release, k)
    from ...analysis.exposure import users_below

    return int(users_below(list(release.values()), k))


def excluded_people(
    program: "ReleaseProgram", release: "Counts", policy: "Policy", schema: "Schema"
) -> int:
    """Return the number of people in small classes that a release reveals by exclusion.

    All people outside such a class are in the release, so its 1 to k - 1 people must have the other
    values. 0 if every respondent is in a cell of the release.
    """
    opening = program.capability(ThresholdOpening)
    return opening.excluded(release, policy, schema) if opening else 0
