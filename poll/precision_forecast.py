"""The expected precision of estimates from noisy answers, before a class session begins.

Phones, the wall and the terminal show it. It is computed for the people that have joined, or for
the number of people that the class waits for, if that is larger. If questions differ in noise, the
question with the widest 95 % confidence interval counts.
"""

from functools import lru_cache
from typing import Any

from ..languages.language import Language, english
from ..presentation.presenters.limit_forecast import VERDICTS, Forecast, forecasts
from ..scenarios.programs.noisy_questions import Question, share
from ..scenarios.schema.model import Scenario
from .questions import noise_of

# For each entry of VERDICTS, in the same order, the key of its sentence for phones. An entry is the
# least half width of a confidence interval for a verdict on the number of people.
VERDICT_KEYS = ("verdict-little", "verdict-some", "verdict-enough")


def forecast_of(scenario: Scenario, present_people: int, awaited: int | None) -> Forecast | None:
    """Return the expected precision of the question with the widest 95 % confidence interval.

    None if phones add no noise. The forecast is for the larger of the two numbers of people.

    Args:
        scenario: the questions of the class session, with the noise that phones add.
        present_people: number of people that have joined.
        awaited: number of people that the class waits for in total; None: the smallest number with
            which the session begins.
    """
    questions = noise_of(scenario)
    if not questions:
        return None
    people = max(present_people, awaited or scenario.mix.min_batch)
    return _widest(questions, people, share(scenario.local.epsilon or 0.0, len(questions)))


@lru_cache(maxsize=64)
def _widest(questions: tuple[Question, ...], people: int, epsilon: float) -> Forecast:
    """Return the forecast of the question with the widest 95 % confidence interval.

    people: number of people. epsilon: privacy parameter of one question, in nats.
    """
    return max(forecasts(questions, people, epsilon), key=lambda forecast: forecast.reach)


def expected_of(
    scenario: Scenario, present_people: int, awaited: int | None, language: Language | None = None
) -> dict[str, Any] | None:
    """Return the expected precision as data for phones and the wall; None if phones add no noise.

    Args:
        scenario: the questions of the class session, with the noise that phones add.
        present_people: number of people that have joined.
        awaited: number of people that the class waits for in total; None: the smallest number with
            which the session begins.
        language: the language of the sentences; None: English.
    """
    forecast = forecast_of(scenario, present_people, awaited)
    return None if forecast is None else forecast_data(forecast, language)


def forecast_data(forecast: Forecast, language: Language | None = None) -> dict[str, Any]:
    """Return a forecast of precision as data that phones and the wall draw, with its sentences.

    language: the language of the sentences; None: English.
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
    """Return a share as a text in whole percent."""
    return f"{100 * limit:.0f} %"
