"""The expected precision of a scenario's estimates, before a session: 95 % confidence limits.

It follows from the number of people and epsilon. Each report is assumed to occur as often as
expected; the limits are then computed as in a run. The limits are computed for a few true values,
and the widest count, so a run is seldom less precise than its forecast. The terminal and the page
of a poll show the forecast.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ...number_text import percent
from ...scenarios.populations import Population
from ...scenarios.programs.noisy_questions import Question, feature_budget, questions
from ...scenarios.schema.model import Scenario

if TYPE_CHECKING:
    from ...analysis.randomizers.expected_limits import ExpectedLimits

# Smallest half width of the widest 95 % confidence interval, as a share of the possible range ->
# verdict on the number of people. The first entry that fits counts.
VERDICTS = (
    (0.25, "too few to say anything"),
    (0.1, "enough to tell a rare value from a common one"),
    (0.0, "enough to compare"),
)
NOTHING_FOUND = "too few to find anything"
WIDTH = 40  # characters of a picture of a confidence interval, drawn as text


@dataclass(frozen=True, slots=True)
class Wording:
    """The words about an estimation task, such as a share or a mean; `{}` stands for a number.

    Attributes:
        within: the estimated quantity, as in `shares within {}`; the number is half of the width of
            the widest 95 % confidence interval.
        middle: the true value for which the picture of an interval is drawn, in words.
        share_template: a statement on the least share of people that can be detected, which is
            `{}`; "" if the task has no such statement.
        none: the statement if no share of people is sure to be detected.
    """

    within: str
    middle: str
    share_template: str = ""
    none: str = ""


WORDS = {
    "shares": Wording(
        "shares within {}",
        "a half",
        "a value of {} of people or more is told from none with probability 95 % at least",
        "no value is sure to be told from none, however many people have it",
    ),
    "mean": Wording("the mean within {} of the range", "the middle"),
    "range-shares": Wording(
        "the share of a quarter of the numbers within {}",
        "a half",
        "a quarter of the numbers with {} of people or more is told from an empty one with "
        "probability 95 % at least",
        "no quarter of the numbers is sure to be told from an empty one",
    ),
    "median": Wording("the median within {} of the range, of numbers spread evenly", "the median"),
    "key-shares": Wording(
        "shares of keys within {}",
        "a half",
        "a key of {} of people or more is told from none with probability 95 % at least",
        "no key is sure to be told from none, however many people have it",
    ),
    "key-mean": Wording(
        "the mean of a key that half of the people have within {} of the range",
        "the middle",
        "a mean has narrower limits than the range for a key of {} of people or more, if reports "
        "come as often as expected",
        "no mean has narrower limits than the range",
    ),
    "found": Wording(
        "the share of a longest text within {}",
        "a half",
        "a text of {} of people or more is found with probability 95 % at least",
        "no text is sure to be found, however many people have it",
    ),
}


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected precision of an estimate, in words and numbers.

    Attributes:
        people: the expected number of people.
        epsilon: privacy parameter of one feature, in nats.
        reach: half of the width of the widest 95 % confidence interval, as a share of the range.
        within: the estimated quantity and `reach`, as in `shares within 5 %`.
        verdict: the use of an estimate with this precision, in words.
        middle: the true value for which `low` and `high` are computed, in words.
        low, high: the 95 % confidence limits for a true value in the middle of the range, as shares
            of the range.
        share_sentence: a sentence on the least detectable share of people; "" if the task has none.
        least_share: the least detectable share of people; None if no share is sure to be detected.
    """

    people: int
    epsilon: float
    reach: float
    within: str
    verdict: str
    middle: str
    low: float
    high: float
    share_sentence: str
    least_share: float | None = None

    @property
    def sentence(self) -> str:
        """A sentence on the number of people, epsilon, the expected precision and the verdict."""
        return f"{self.people:,} people, epsilon {self.epsilon:.3g}: {self.within}, {self.verdict}"

    @property
    def lines(self) -> list[str]:
        """The sentence, a drawing of the confidence interval, and the least detectable share."""
        drawn = picture(self.low, self.high)
        text_lines = [self.sentence, f"0 % {drawn} 100 %   {self.middle} (o) and its 95 % limits"]
        return [*text_lines, self.share_sentence] if self.share_sentence else text_lines


def forecasts(
    noisy_questions: Sequence[Question], people: int, epsilon: float
) -> Iterator[Forecast]:
    """Yield a forecast of precision for each estimate of a scenario.

    noisy_questions: the features with the noise of each; features with the same noise share one
    forecast. people: number of people; 0 gives no forecast. epsilon: privacy parameter of one
    feature, in nats.
    """
    earlier_noises: set[str] = set()
    for question in noisy_questions:
        randomizer = question.randomizer.single()
        if not people or str(randomizer) in earlier_noises:
            continue
        earlier_noises.add(str(randomizer))
        for expected in randomizer.expected_limits(people):
            yield _forecast(expected, people, epsilon)


def _forecast(expected: "ExpectedLimits", people: int, epsilon: float) -> Forecast:
    """Return the forecast of an estimate in words, from its expected confidence limits.

    epsilon: privacy parameter of one feature, in nats.
    """
    words, share_template = WORDS[expected.task], ""
    if expected.min_share is not None:
        share_template = words.share_template if isfinite(expected.min_share) else words.none
    verdict = next(sentence for width, sentence in VERDICTS if expected.reach >= width)
    if (
        expected.task == "found"
        and expected.min_share is not None
        and not isfinite(expected.min_share)
    ):
        verdict = NOTHING_FOUND
    return Forecast(
        people,
        epsilon,
        expected.reach,
        words.within.format(percent(expected.reach)),
        verdict,
        words.middle,
        *expected.limits[0],
        share_template.format(percent(expected.min_share or 0.0)),
        None
        if expected.min_share is None or not isfinite(expected.min_share)
        else expected.min_share,
    )


def foreseen(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield lines of text on the expected precision of a scenario's estimates.

    A line of each forecast draws the 95 % confidence interval, with characters.
    """
    each = feature_budget(scenario.local, len(people.values))
    noisy_questions = questions(scenario, people.schema.names, people.values)
    for forecast in forecasts(noisy_questions, people.n, each):
        yield from forecast.lines


def picture(low: float, high: float) -> str:
    """Return a drawing of a confidence interval as a line of text, such as `[...==o==...]`.

    The `o` is the middle of the range. low, high: the limits, as shares of the range.
    """
    first, last = round(low * (WIDTH - 1)), round(high * (WIDTH - 1))
    line = ["=" if first <= place <= last else "." for place in range(WIDTH)]
    line[WIDTH // 2] = "o"
    return f"[{''.join(line)}]"
