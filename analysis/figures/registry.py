"""One figure of a paper, redrawn: its numbers, how to draw it, and what agrees with the paper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Check:
    """A number or statement of a figure: what is said of it, and what was found.

    Attributes:
        figure: the figure's name.
        what: the number or statement, in words.
        source: who says it: the paper, or another source.
        said: what the source gives, as text.
        found: what was computed here, as text.
        agrees: whether both agree; None where nothing can be compared: something is not given, or
            was not proven.
    """

    figure: str
    what: str
    source: str
    said: str
    found: str
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the figure's numbers, to be written as CSV.

    Attributes:
        name: of the file, without its ending.
        headings: one for each column.
        rows: the numbers, as many in each row as there are headings.
    """

    name: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A finished figure.

    Attributes:
        name: of its files, without their endings.
        numbers: the tables behind the picture.
        checks: what was compared with what others say.
        draw: makes the picture.
    """

    name: str
    numbers: tuple[Numbers, ...]
    checks: tuple[Check, ...]
    draw: "Callable[[], Figure]"


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a figure is made from.

    Attributes:
        people: gives a shipped population by name, as codes (n x d) and the names of the columns.
        seed: of every simulation.
        nodes: of every search tree for a worst case, at most; 0: none is sought.
        progress: told of each stage, in words.
    """

    people: Callable[[str], tuple[NDArray[np.integer], tuple[str, ...]]]
    seed: int
    nodes: int
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's title and its figures.

    Attributes:
        title: of the paper.
        figures: by name, what each shows and what makes it.
    """

    title: str
    figures: dict[str, tuple[str, Callable[[Material], Redrawn]]]
