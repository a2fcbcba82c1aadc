"""The limits that would admit a suppressed column to a release."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreleasedColumn:
    """A column that is not released, and the limits that would admit it.

    Attributes:
        column: the name of the column.
        promised: the exposure bound of a release with it, which is also the smallest
            max_exposure that would admit it.
        largest_k: the largest k, people in the smallest safe class, that would admit it at this
            max_exposure; None if the bound is not computed for other k.
        forbidden: whether the scenario forbids it at any limits.
    """

    column: str
    promised: float
    largest_k: int | None
    forbidden: bool
