"""The expected precision for a class, before it begins: for the people here or the awaited number.

Phones, the wall and the terminal show it. Of several questions with different noise, the question
with the widest limits counts.
"""

from functools import lru_cache
from typing import Any

from ..scenarios.programs.randomized.foreseen import Forecast, forecasts
from ..scenarios.programs.randomized.questions import Question, share
from ..scenarios.schema.model import Scenario
from .questions import noise_of


def forecast_of(scenario: Scenario, here: int, awaited: int | None) -> Forecast | None:
    """Return the forecast of the question with the widest limits; None if phones add no noise.

    Args:
        scenario: of the class.
        here: number of people that have joined.
        awaited: number of awaited people; None: as many as are needed to begin.
    """
    asked = noise_of(scenario)
    if not asked:
        return None
    people = max(here, awaited or scenario.mix.min_batch)
    return _widest(asked, people, share(scenario.local.epsilon or 0.0, len(asked)))


@lru_cache(maxsize=64)
def _widest(asked: tuple[Question, ...], people: int, epsilon: float) -> Forecast:
    return max(forecasts(asked, people, epsilon), key=lambda forecast: forecast.reach)


def expected_of(scenario: Scenario, here: int, awaited: int | None) -> dict[str, Any] | None:
    """Return the forecast as phones and the wall show it; None if phones add no noise.

    here, awaited: as in `forecast_of`.
    """
    forecast = forecast_of(scenario, here, awaited)
    return None if forecast is None else shown(forecast)


def shown(forecast: Forecast) -> dict[str, Any]:
    """Return the data of a forecast that phones and the wall draw."""
    return {
        "people": forecast.people,
        "sentence": forecast.sentence,
        "least": forecast.least,
        "low": forecast.low,
        "high": forecast.high,
    }
