"""The limits that would admit a suppressed column to a release."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreleasedColumn:
    """A column that is not released, and the limits that would admit it.

    Attributes:
        column: its name.
        promised: the exposure bound of a release with it, which is also the smallest
            max_exposure that would admit it.
        largest_k: the largest crowd size that would admit it at this max_exposure (None where the
            rule is not asked about other k).
        forbidden: the scenario forbids it anyway.
    """

    column: str
    promised: float
    largest_k: int | None
    forbidden: bool
