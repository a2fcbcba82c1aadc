"""The registry of presenters: it finds the presenter with the texts on a release program.

It is the presenter of the program's class, or else of its nearest parent class that has a
presenter. So a program of another package has the presenter of its parent. If the program defines
members of the presenter itself, they replace the members of the presenter (docs/extending.md).
"""

from functools import cache
from typing import TYPE_CHECKING

from ...scenarios.programs.registry import program_of
from ...scenarios.schema.plugs import load

if TYPE_CHECKING:
    from ...scenarios.programs.interface import ReleaseProgram
    from ...scenarios.schema.model import Scenario
    from .presenter import Presenter

PROGRAMS, PRESENTERS = "veilmix.scenarios.programs.", "veilmix.presentation.presenters."
PRESENTED = {
    "curated.program:Decided": "presenter:Presenter",
    "one_round:OneRound": "presenter:OneRoundPresenter",
    "curated.choices:ExposureProgram": "curated:ExposurePresenter",
    "curated.choices:Fixed": "curated:FixedPresenter",
    "curated.choices:ReleaseAll": "curated:ReleaseAllPresenter",
    "pairs.program:PairsProgram": "curated:PairsPresenter",
    "informative.program:Informative": "curated:InformativePresenter",
    "hierarchical.program:HierarchicalProgram": "hierarchical:HierarchicalPresenter",
    "local_suppression.program:LocalSuppressionProgram": "local_suppression:SuppressionPresenter",
    "randomized.program:Randomizing": "randomized:NoisePresenter",
    "randomized.program:Histogram": "randomized:HistogramPresenter",
    "incidence.program:IncidenceProgram": "incidence:IncidencePresenter",
    "threshold.program:Threshold": "threshold:ThresholdPresenter",
}  # class of a release program -> its presenter


def presenter_of(scenario: "Scenario") -> "Presenter":
    """Return the presenter of the release program that plays a scenario."""
    return presenter_for(program_of(scenario))


def presenter_for(program: "ReleaseProgram") -> "Presenter":
    """Return the presenter of a program.

    If the program itself defines a member of a presenter, that member replaces the presenter's.
    """
    presenter: Presenter = load(_place(type(program)))()
    for member in dir(presenter):
        if not member.startswith("_") and hasattr(program, member):
            setattr(presenter, member, getattr(program, member))
    return presenter


@cache
def _place(program_class: type) -> str:
    """Return the name of the presenter of a program's class, as `module:class`.

    It is the presenter of the nearest class in the method resolution order that has a presenter.
    """
    places = (f"{base.__module__}:{base.__qualname__}" for base in program_class.__mro__)
    nearest = next(
        PRESENTED[at] for place in places if (at := place.removeprefix(PROGRAMS)) in PRESENTED
    )
    return PRESENTERS + nearest
