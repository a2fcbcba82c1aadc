"""Scores of other installed packages: entry points of the group `veilmix.scores`.

A `Score` computes a number from the record of a run (`Result`, the content of result.json). So it
works alike for a new run, a saved run and each run of a sweep. The name of the entry point is the
name of the score.
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
    """A score that another package adds: a number computed from a run.

    Attributes:
        unit: the unit of the number, in the plural, such as "people".
        measure: returns the number from the record of a run; None if the score does not apply.
        meaning: a clause that explains the score in the output of `veilmix run`.
    """

    unit: str
    measure: Callable[[Result], float | None]
    meaning: str = ""


def own_scores() -> Mapping[str, Score]:
    """Return the scores that other packages add, by name.

    Raises ParameterError for an entry point that is no `Score`.
    """
    return records(GROUP, Score)


def measure(name: str, score: Score, result: Result) -> float | None:
    """Return the value of a score for a run; None if the score does not apply to this run.

    Raises ParameterError if the package returns no finite number. name: the name of the score, for
    messages.
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
