"""The section of a run's page with figures that other installed packages draw.

Packages register them under the entry point `veilmix.figures`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...analysis import drawing
from ...errors import ParameterError
from ...scenarios.lab.scoring.figure_plugins import numbers_of, own_figures
from ..blocks import Picture, Section
from ..text_blocks import PageNumbers

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.result import Result
    from ..presenters.page_facts import PageFacts

LEAD = "Other installed packages bring these figures. veilmix did not check them."


def section(facts: "PageFacts") -> Section | None:
    """Return the section; None if no package has a figure of this run.

    ParameterError if a package returns an object that is no table of numbers or no figure.
    """
    pictures = tuple(_pictures(facts.result))
    return Section("own-figures", "Figures of other packages", LEAD, pictures) if pictures else None


def _pictures(result: "Result") -> Iterator[Picture]:
    """Yield the figures of other packages that apply to a result.

    ParameterError if a package returns a figure that is not of matplotlib.
    """
    for name, figure in own_figures().items():
        numbers = numbers_of(name, figure, result)
        if numbers is None:
            continue
        with drawing.house_style():
            from matplotlib.figure import Figure

            drawn = figure.draw(numbers)
        if not isinstance(drawn, Figure):
            raise ParameterError(
                f"figure {name!r} of an installed package: found {type(drawn).__name__}; "
                "a matplotlib Figure is accepted"
            )
        rows = [tuple(row.values()) for row in numbers]
        svg = drawing.rendered(drawn, ".svg").decode()
        yield Picture(
            svg, f"{name}: {figure.caption}", PageNumbers(name, tuple(numbers.columns), rows)
        )
