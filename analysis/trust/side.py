"""The relation of a figure to the true value: exact, lower or upper bound."""

from enum import StrEnum


class Side(StrEnum):
    """The relation of a computed number to the true value: exact, a lower or an upper bound."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"

    @classmethod
    def from_certain(cls, method: str, certain: int, cells: int) -> "Side":
        """Return the relation of a number of certain cells to the true number.

        A cell is certain if only one value is possible. Evidence that a bound leaves out can make
        more cells certain.

        method: how the posterior was computed (`Method`). certain: number of certain cells. cells:
        number of all cells.
        """
        if method == cls.AT_LEAST and certain < cells:
            return cls.AT_LEAST
        return cls.AT_MOST if method == cls.AT_MOST and certain else cls.EXACT

    @property
    def mark(self) -> str:
        """The sign before a printed number: "", ">= " or "<= "."""
        return {"exact": "", "at least": ">= ", "at most": "<= "}[self]

    @property
    def word(self) -> str:
        """The relation in words before a printed number: "", "at least " or "at most "."""
        return "" if self is Side.EXACT else f"{self} "
