"""Figures of other installed packages: entry points of the group `veilmix.figures`.

An `OwnFigure` draws numbers of the record of a run (`Result`, the content of result.json) on the
page of `veilmix report`. Its name is that of the entry point.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....analysis.frames import Frame
from ....errors import ParameterError
from ...schema.plugs import records
from .result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP = "figures"


@dataclass(frozen=True, slots=True)
class OwnFigure:
    """A figure of a run that another package adds to the report.

    Attributes:
        caption: a sentence on what it shows, with units. It is also the text for screen readers.
        numbers: returns the numbers of the figure from the record of a run, a row or more; None for
            a run without them. Readers of the page can save them as CSV.
        draw: draws these numbers. It runs in the style of all figures; `matplotlib.figure.Figure`
            needs no backend.
    """

    caption: str
    numbers: Callable[[Result], Frame | None]
    draw: "Callable[[Frame], Figure]"


def own_figures() -> Mapping[str, OwnFigure]:
    """Return the figures that other packages add, by name.

    Raises ParameterError where an entry point is no `OwnFigure`.
    """
    return records(GROUP, OwnFigure)


def numbers_of(name: str, figure: OwnFigure, result: Result) -> Frame | None:
    """Return the numbers that a figure draws of a run; None for a run without them.

    Raises ParameterError if the package returns no table, or a table without rows.
    """
    numbers = figure.numbers(result)
    if numbers is None:
        return None
    if not isinstance(numbers, Frame) or not len(numbers):
        kind = "a Frame without rows" if isinstance(numbers, Frame) else type(numbers).__name__
        raise ParameterError(
            f"figure {name!r} of an installed package: found {kind}; a veilmix.Frame with a row "
            "or more, or None, is accepted"
        )
    return numbers
