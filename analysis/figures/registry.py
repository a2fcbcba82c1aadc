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
    """A number or statement: what is `said` (by the paper or by `source`), what was `found`.

    `agrees` is None where nothing can be compared: something is not given, or was not proven.
    """

    figure: str
    what: str
    source: str
    said: str
    found: str
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the figure's numbers, to be written as CSV under `name`."""

    name: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A finished figure: `name` is that of its files, `draw` makes the picture."""

    name: str
    numbers: tuple[Numbers, ...]
    checks: tuple[Check, ...]
    draw: "Callable[[], Figure]"


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a figure is made from.

    people: gives a shipped population by name, as codes (n x d) and the names of the columns.
    seed: of every simulation. seconds: time for each worst case. progress: told of each stage.
    """

    people: Callable[[str], tuple[NDArray[np.integer], tuple[str, ...]]]
    seed: int
    seconds: float
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's title and its figures: what each shows, and what makes it."""

    title: str
    figures: dict[str, tuple[str, Callable[[Material], Redrawn]]]
