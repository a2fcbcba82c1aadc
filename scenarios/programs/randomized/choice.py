"""The mechanisms (randomizers) for a task, ranked by their exact standard errors.

The error of a mechanism is the standard error of one estimated share, for equally frequent answers:
sqrt(variance of one report / people). It is a share of the people, or for a mean a share of the
range of the numbers. With several features it is the root of the mean variance over the features.

The variance is the randomizer's own formula (`noise_of`), with the budget of one feature.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

from ....errors import LocalError
from ...schema.mechanisms import Mechanism, mechanisms
from ...schema.model import Scenario
from ...serialization.record import Record
from ..noisy_questions import is_sampled, questions
from .check import SAMPLED, too_wide


class Ranked(Record, frozen=True):
    """A mechanism with its exact standard error, for uniform answers.

    Attributes:
        task: the task that the mechanism is for, such as shares or a mean.
        mechanism: the name of the mechanism.
        error: the standard error, in the unit of the task: a share of the people, or of the
            numbers' range.
        is_configured: whether the scenario configures this mechanism.
    """

    task: str
    mechanism: str
    error: float
    is_configured: bool


def ranking(
    scenario: Scenario, names: Sequence[str], values: Sequence[tuple[str, ...]], people: int
) -> tuple[Ranked, ...]:
    """Return every mechanism that fits the features and has the scenario's task, best first.

    names, values: names and values of the features. people: the expected number of people.
    """
    mechanism_name = scenario.local.mechanism
    mechanism = mechanisms().get(mechanism_name)
    if mechanism is None or not people or not scenario.local.epsilon:
        return ()
    task = mechanism.tasks[0]
    ranked = [
        Ranked(task, name, error, name == mechanism_name)
        for name, mechanism in mechanisms().items()
        if task in mechanism.tasks
        and (error := standard_error(scenario, name, mechanism, task, names, values, people))
        is not None
    ]
    return tuple(sorted(ranked, key=lambda choice: choice.error))


def standard_error(
    scenario: Scenario,
    name: str,
    mechanism: Mechanism,
    task: str,
    names: Sequence[str],
    values: Sequence[tuple[str, ...]],
    people: int,
) -> float | None:
    """Return the standard error of a mechanism: root of the mean variance over the features.

    name: the mechanism. names, values: names and values of the features. None if the mechanism
    cannot report a feature.
    """
    from msgspec.structs import replace

    sizes = [len(domain) for domain in values]
    if any(too_wide(name, size) for size in sizes) or (mechanism.bits and set(sizes) != {2}):
        return None
    if is_sampled(scenario.local, len(names)) and name not in SAMPLED:
        return None
    changed = replace(scenario, local=replace(scenario.local, mechanism=name))
    try:
        randomizers: Any = [question.randomizer for question in questions(changed, names, values)]
        variances = [randomizer.noise_of(task) for randomizer in randomizers]
    except LocalError:
        return None
    return sqrt(sum(variances) / len(variances) / people)
