"""Parts of a table's score: a column's figures, and bounds on the exposure of all columns."""

from dataclasses import dataclass

from ..composition import WorstCase
from ..exposure import Crowds


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """The score of a column, or of all columns together.

    `values` counts "missing" where it occurs and is a value (as a category). For all columns
    together, they are the different rows.

    Attributes:
        name: of the column; for all columns "all columns" or "quasi-identifiers".
        values: the number of different values that occur.
        missing: the number of cells without a value.
        crowds: people by the size of their equivalence class.
    """

    name: str
    values: int
    missing: int
    crowds: Crowds


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the people exposed by all columns together at k, from the counts of single columns.

    Attributes:
        lower: people exposed in every table with these marginals.
        printed: upper bound, the smaller of Theorems 2 and 3 of paper 000.
        refined, coverage: tighter upper bounds, see composition/bounds.py.
        margins: the upper bound that a run certifies by default, see composition/margins_bound.py.
        persons: upper bound where persons have several rows, then the only one, see
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
