"""Parts of a table's score: the score of a column, and bounds on the exposure of all columns."""

from dataclasses import dataclass

from ..composition import WorstCase
from ..exposure import Crowds


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """The score of a column, or of all columns together.

    Attributes:
        name: name of the column; for all columns "all columns" or "quasi-identifiers".
        values: the number of different values that occur, also counting "missing" if it is a
            category; for several columns, the number of different rows.
        missing: the number of cells without a value.
        crowds: people by the size of their equivalence class (people with equal values).
    """

    name: str
    values: int
    missing: int
    crowds: Crowds


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the people exposed by all columns together at k, from the counts of single columns.

    A person is exposed in an equivalence class smaller than k.

    Attributes:
        lower: people exposed in every table with these marginals.
        printed: upper bound, the smaller of Theorems 2 and 3 of paper 000.
        refined, coverage: upper bounds that are tighter than `printed`, see composition/bounds.py.
        margins: the upper bound that a run certifies by default, see composition/margins_bound.py.
        persons: the only upper bound if persons have several rows, see
            composition/person_bound.py; else None.
        worst: the table with these marginals that exposes most people, if it was searched; else
            None.
    """

    lower: int
    printed: int | None
    refined: int | None
    coverage: int | None
    margins: int | None
    worst: WorstCase | None
    persons: int | None = None

    @property
    def proved(self) -> int:
        """The certified bound: the least upper bound on the exposed people, in people."""
        bounds = (self.margins, self.persons)
        return min(people for people in bounds if people is not None)
