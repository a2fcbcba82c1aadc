"""The limits that would admit a suppressed column to a release."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreleasedColumn:
    """A column that is not released, and the limits that would admit it to the release.

    Attributes:
        column: the name of the column.
        promised: the exposure bound of a release with this column added, which is also the smallest
            max_exposure that would admit the column.
        largest_k: the largest k (people in the smallest safe class) that would admit the column at
            the scenario's max_exposure; None if the bound is not computed for other k.
        forbidden: whether the scenario forbids the column, whatever its bound.
    """

    column: str
    promised: float
    largest_k: int | None
    forbidden: bool
