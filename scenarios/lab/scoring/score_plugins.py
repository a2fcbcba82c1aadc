"""Scores of other installed packages: entry points of the group `veilmix.scores`.

A `Score` measures the record of a run (`Result`, the content of result.json), so it is the same for
a run that was just played, for a saved run, and for every run of a sweep. Its name is that of the
entry point.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from ....errors import ParameterError
from ...schema.plugs import records
from .result import Result

GROUP = "scores"


@dataclass(frozen=True, slots=True)
class Score:
    """A score that another package adds: a number of a run.

    Attributes:
        unit: the unit of the number, in the plural, as "people".
        measure: returns the number from the record of a run; None for a run without it.
        meaning: a clause for the table of scores of `veilmix run`.
    """

    unit: str
    measure: Callable[[Result], float | None]
    meaning: str = ""


def own_scores() -> Mapping[str, Score]:
    """Return the scores that other packages add, by name.

    Raises ParameterError where an entry point is no `Score`.
    """
    return records(GROUP, Score)


def measure(name: str, score: Score, result: Result) -> float | None:
    """Return a score of a run; None for a run without it.

    Raises ParameterError if the package returns no finite number.
    """
    value = score.measure(result)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ParameterError(
            f"score {name!r} of an installed package: found {value!r}; a finite number or None is "
            "accepted"
        )
    return float(value)
