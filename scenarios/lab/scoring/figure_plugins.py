"""Figures of other installed packages: entry points of the group `veilmix.figures`.

An `OwnFigure` draws numbers of the record of a run (`Result`, the content of result.json) on the
page of `veilmix report`. The name of the entry point is the name of the figure.
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
        caption: a sentence that explains the figure, with units. Screen readers read it too.
        numbers: returns the table of the figure's numbers from the record of a run; None if the run
            has no such numbers. Readers of the page can save the table as CSV.
        draw: draws these numbers, in the style of all figures; `matplotlib.figure.Figure` needs no
            backend.
    """

    caption: str
    numbers: Callable[[Result], Frame | None]
    draw: "Callable[[Frame], Figure]"


def own_figures() -> Mapping[str, OwnFigure]:
    """Return the figures that other packages add, by name.

    Raises ParameterError for an entry point that is no `OwnFigure`.
    """
    return records(GROUP, OwnFigure)


def numbers_of(name: str, figure: OwnFigure, result: Result) -> Frame | None:
    """Return the numbers that a figure draws of a run; None if the run has no such numbers.

    Raises ParameterError if the package returns no table, or a table without rows. name: the name
    of the figure, for messages.
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
