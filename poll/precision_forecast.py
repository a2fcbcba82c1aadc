"""The expected precision for a class, before it begins: for the people here or the awaited number.

Phones, the wall and the terminal show it. Of several questions with different noise, the question
with the widest limits counts.
"""

from functools import lru_cache
from typing import Any

from ..languages.language import Language, english
from ..presentation.presenters.limit_forecast import VERDICTS, Forecast, forecasts
from ..scenarios.programs.noisy_questions import Question, share
from ..scenarios.schema.model import Scenario
from .questions import noise_of

# keys of the sentences for VERDICTS, in order
VERDICT_KEYS = ("verdict-little", "verdict-some", "verdict-enough")


def forecast_of(scenario: Scenario, present_people: int, awaited: int | None) -> Forecast | None:
    """Return the expected precision of the question with the widest limits; None without noise.

    Args:
        scenario: the scenario of the class.
        present_people: number of people that have joined.
        awaited: number of awaited people; None: as many as are needed to begin.
    """
    questions = noise_of(scenario)
    if not questions:
        return None
    people = max(present_people, awaited or scenario.mix.min_batch)
    return _widest(questions, people, share(scenario.local.epsilon or 0.0, len(questions)))


@lru_cache(maxsize=64)
def _widest(questions: tuple[Question, ...], people: int, epsilon: float) -> Forecast:
    """Return the forecast of the question with the widest interval."""
    return max(forecasts(questions, people, epsilon), key=lambda forecast: forecast.reach)


def expected_of(
    scenario: Scenario, present_people: int, awaited: int | None, language: Language | None = None
) -> dict[str, Any] | None:
    """Return the forecast as data for phones and the wall; None if phones add no noise.

    present_people, awaited: as in `forecast_of`. language: of its sentences; None: English.
    """
    forecast = forecast_of(scenario, present_people, awaited)
    return None if forecast is None else forecast_data(forecast, language)


def forecast_data(forecast: Forecast, language: Language | None = None) -> dict[str, Any]:
    """Return the data of a forecast that phones and the wall draw, with all its sentences.

    language: of its sentences; None: English.
    """
    language = language or english()
    verdict = next(
        key
        for key, (width, _) in zip(VERDICT_KEYS, VERDICTS, strict=True)
        if forecast.reach >= width
    )
    sentence = language.say(
        "expected-sentence",
        people=language.say("people", n=forecast.people),
        epsilon=f"{forecast.epsilon:.3g}".replace(".", language.decimal),
        reach=language.percent(forecast.reach),
        verdict=language.say(verdict),
    )
    if forecast.least_share is None:
        least_text = language.say("expected-none")
    else:
        least_text = language.say("expected-least", share=language.percent(forecast.least_share))
    return {
        "people": forecast.people,
        "title": language.say("expected-title"),
        "sentence": sentence,
        "explains": language.say("expected-explains"),
        "least": least_text,
        "low": forecast.low,
        "high": forecast.high,
        "picture": language.say(
            "expected-picture", low=_whole(forecast.low), high=_whole(forecast.high)
        ),
    }


def _whole(limit: float) -> str:
    """Return a share as text, in whole percent."""
    return f"{100 * limit:.0f} %"
