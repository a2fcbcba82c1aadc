"""Several releases about the same people: bounds on exposure on all their columns together.

Each release gives the people in every cell, a combination of values of its columns. A person is
exposed on the columns of all releases if fewer than k people share its values on all of them. The
upper bound treats each release as one column with its cells as values. Then the coverage bound
(coverage.py) for tables with known column counts applies. For the lower bound, a person exposed in
one release is exposed on the columns of all releases too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..exposure import users_below
from ..validation import as_counts, whole
from .bounds import smallest_bound


@dataclass(frozen=True, slots=True)
class ComposedReleases:
    """Bounds on the people exposed on the columns of several releases together.

    A person is exposed if fewer than k people share its values on these columns.

    Attributes:
        k: people in the smallest crowd that hides its members.
        n: people in every release.
        low, high: bounds on the people exposed on all columns together.
        exposed_by_release: people exposed by each release alone.
    """

    k: int
    n: int
    low: int
    high: int
    exposed_by_release: tuple[int, ...]

    def __str__(self) -> str:
        """Return the bounds on the exposed people in a sentence."""
        return (
            f"{self.low:,} to {self.high:,} of {self.n:,} people are in a crowd smaller than "
            f"{self.k} on the columns of {len(self.exposed_by_release)} releases together"
        )


def compose_releases(releases: Sequence[npt.ArrayLike], k: int) -> ComposedReleases:
    """Bound the number of people exposed on the columns of all releases together.

    A person is exposed if fewer than k people share its values on these columns.

    Args:
        releases: for each release, the people in each cell (combination of values); equal sums.
        k: people in the smallest crowd that hides its members, >= 1.

    Raises:
        ParameterError: no release, different numbers of people, no people, or k below 1.
    """
    if not releases:
        raise ParameterError("releases: found none; needs at least one release")
    k = whole(k, "k", 1)
    counts = [as_counts(cells) for cells in releases]
    n = int(counts[0].sum())
    if n == 0 or any(int(count.sum()) != n for count in counts):
        totals = ", ".join(str(int(count.sum())) for count in counts)
        raise ParameterError(
            f"releases: found {totals} people; every release needs the same number, at least 1"
        )
    exposed_by_column = tuple(int(users_below(count, k)) for count in counts)
    high = exposed_by_column[0]
    if len(counts) > 1:
        proof = smallest_bound([np.asarray(count) for count in counts], k, rule="coverage")
        high = min(n, proof.people)
    return ComposedReleases(
        k, n, max(exposed_by_column), max(high, *exposed_by_column), exposed_by_column
    )
