"""What the people and epsilon of a scenario will give, said before anybody is asked.

The reports come as often as expected; the limits are those that the run will print. The worst of a
few truths counts, so a run is seldom less certain than is said here.
"""

from collections.abc import Iterator

from ...populations import Population
from ...schema.model import Scenario
from ...wording import percent
from .questions import feature_budget, questions

# half of the widest limits, as a share of the range, from which on -> what it is good for
VERDICTS = (
    (0.25, "too few to say anything"),
    (0.1, "enough to tell a rare value from a common one"),
    (0.0, "enough to compare"),
)
WIDTH = 40  # characters of the picture


def foreseen(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield a sentence and a picture for each different noise of the features."""
    each = feature_budget(scenario, len(people.values))
    before: set[str] = set()
    for question in questions(scenario, people.schema.names, people.values):
        randomizer = question.randomizer.single()
        known = randomizer.expected_limits(people.n) if people.n else None
        if known is None or str(randomizer) in before:
            continue
        before.add(str(randomizer))
        task, limits = known
        reach = max(high - low for low, high in limits) / 2
        verdict = next(words for least, words in VERDICTS if reach >= least)
        within = f"{task} within {percent(reach)}{'' if task == 'shares' else ' of the range'}"
        yield f"{people.n:,} people, epsilon {each:.3g}: {within}, {verdict}"
        yield f"0 % {picture(*limits[0])} 100 %   a half (o) and its 95 % limits"


def picture(low: float, high: float) -> str:
    """Draw limits around the middle of a range, in a line of text."""
    first, last = round(low * (WIDTH - 1)), round(high * (WIDTH - 1))
    line = ["=" if first <= place <= last else "." for place in range(WIDTH)]
    line[WIDTH // 2] = "o"
    return f"[{''.join(line)}]"
