"""The parts of a redrawn figure of a paper: its numbers, its drawing, and checks of its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...deprecated import keeps_old
from ..frames import Cell, Frame, plain_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@keeps_old(what="subject", said="claim", found="result")
@dataclass(frozen=True, slots=True)
class Check:
    """A comparison of a figure with a claim about it, such as a statement of the paper.

    Attributes:
        figure: the figure's name.
        subject: the number or statement, in words.
        source: source of the claim: the paper, or another source.
        claim: the claim, as text.
        result: the result computed here, as text.
        agrees: whether claim and result agree; None if they cannot be compared, because a value is
            not given or not proven.
    """

    figure: str
    subject: str
    source: str
    claim: str
    result: str
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the figure's numbers, to be written as CSV.

    Attributes:
        name: name of the file, without its ending.
        headings: a heading for each column.
        rows: the numbers, in the order of the headings.
    """

    name: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]

    @property
    def frame(self) -> Frame:
        """The numbers as a table for pandas, polars and pyarrow; an empty text becomes None."""
        return plain_frame(self.headings, [[_cell(value) for value in row] for row in self.rows])


def _cell(value: Any) -> Cell:
    """Return a value as Python's own type, which any library of tables reads; "" becomes None."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if plain == "" else plain


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A figure with its numbers, its checks and a function that draws it.

    Attributes:
        name: name of the figure's files, without their endings.
        numbers: the tables behind the figure.
        checks: comparisons with claims of other sources; empty unless the parameters are the
            paper's.
        draw: draws the figure and returns it as a matplotlib Figure. Raises LocalError, with the
            package to install, if matplotlib is missing.
    """

    name: str
    numbers: tuple[Numbers, ...]
    checks: tuple[Check, ...]
    draw: Callable[[], Figure]

    @property
    def frames(self) -> dict[str, Frame]:
        """The tables behind the figure by their names, for pandas, polars and pyarrow."""
        return {numbers.name: numbers.frame for numbers in self.numbers}


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The settings with which `veilmix reproduce` redraws a figure of a paper.

    Attributes:
        seed: seed of every simulation.
        nodes: limit of the nodes of a search tree for the worst case of exposure; 0: no search.
        progress: called with a description of each stage.
    """

    seed: int
    nodes: int
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ResearchPaper:
    """A paper's title, and its figures that can be redrawn.

    Attributes:
        title: title of the paper.
        figures: by the figure's name, its subject in words and the function that redraws it.
    """

    title: str
    figures: dict[str, tuple[str, Callable[[Material], Redrawn]]]
