"""Parts of a table's score: a column, and bounds on all columns from their counts alone."""

from dataclasses import dataclass

from ..composition import WorstCase
from ..exposure import Crowds


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """One column, or the joint of all: its values that occur, its cells that lack one, its crowds.

    `values` counts "missing" where it occurs and is a value (as a category). Of the joint they are
    the different rows.

    Attributes:
        name: of the column, or of all of them.
        values: that occur.
        missing: cells without a value.
        crowds: people by the size of their crowd.
    """

    name: str
    values: int
    missing: int
    crowds: Crowds


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the exposed people of the joint at k, from its marginals alone.

    Attributes:
        lower: exposed in every table with these marginals.
        printed: the smaller of Theorems 2 and 3 of paper 000.
        refined, coverage: see composition/bounds.py.
        margins: the default promise of a run, see composition/margins_bound.py.
        persons: see composition/person_bound.py; where persons have several rows it is the only
            bound above, and None elsewhere.
        worst: the worst table, if it was asked for.
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
        """The least that is proved: at most so many people."""
        bounds = (self.margins, self.persons)
        return min(people for people in bounds if people is not None)
