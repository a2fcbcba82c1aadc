"""What a figure is to the truth: exact, or a bound from below or from above."""

from enum import StrEnum


class Side(StrEnum):
    """What a number is to the truth."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"

    @classmethod
    def of_certain(cls, method: str, certain: int, cells: int) -> "Side":
        """Return the side of so many certain cells, by the method (`Method`) of the posterior.

        Evidence that a bound leaves out can make more cells certain.
        """
        if method == cls.AT_LEAST and certain < cells:
            return cls.AT_LEAST
        return cls.AT_MOST if method == cls.AT_MOST and certain else cls.EXACT

    @property
    def mark(self) -> str:
        """Written before the number."""
        return {"exact": "", "at least": ">= ", "at most": "<= "}[self]

    @property
    def word(self) -> str:
        """The same in words."""
        return "" if self is Side.EXACT else f"{self} "
