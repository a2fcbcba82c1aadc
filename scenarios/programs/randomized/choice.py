"""The mechanisms for a task, ranked by their exact variances.

The error is the standard error of one estimate, of uniform answers given the people, as a share of
them (of a mean: as a share of the range of the numbers), root of the mean over all features:

    sqrt(variance of one report / people)

The variance is the randomizer's own formula (`noise_of`), at the budget of one feature.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

from ....errors import LocalError
from ....presentation.wording import percent
from ...populations import Population
from ...schema.mechanisms import Mechanism, mechanisms
from ...schema.model import Scenario
from ...serialization.record import Record
from ..noisy_questions import feature_budget, is_sampled, questions
from .check import SAMPLED, too_wide

TASK_PHRASES = {
    "shares": "of a share of people",
    "mean": "of a mean, as a share of the range",
    "ranges": "of a share of people in a range",
    "key-values": "of a key's total a person, as a share of the range",
    "heavy-hitters": "of the share of a text as long as any",
    "longitudinal": "of a share of people, of one of many reports",
    "distribution": "of a share of people, unbiased",
}

LIKE = {"heavy-hitters": "one that nobody has"}  # the subject of errors that are not of shares


class Ranked(Record, frozen=True):
    """A mechanism and its standard error, exact, for uniform answers.

    Attributes:
        task: the task that the mechanism is for.
        mechanism: its name.
        error: in the unit of the task.
        is_configured: whether it is the scenario's.
    """

    task: str
    mechanism: str
    error: float
    is_configured: bool


def ranking(
    scenario: Scenario, names: Sequence[str], values: Sequence[tuple[str, ...]], people: int
) -> tuple[Ranked, ...]:
    """Return every mechanism that fits and has the task of the scenario's, best first."""
    mechanism_name = scenario.local.mechanism
    mechanism = mechanisms().get(mechanism_name)
    if mechanism is None or not people or not scenario.local.epsilon:
        return ()
    task = mechanism.tasks[0]
    ranked = [
        Ranked(task, name, error, name == mechanism_name)
        for name, mechanism in mechanisms().items()
        if task in mechanism.tasks
        and (error := _error(scenario, name, mechanism, task, names, values, people)) is not None
    ]
    return tuple(sorted(ranked, key=lambda choice: choice.error))


def _error(
    scenario: Scenario,
    name: str,
    mechanism: Mechanism,
    task: str,
    names: Sequence[str],
    values: Sequence[tuple[str, ...]],
    people: int,
) -> float | None:
    """Return the root mean variance over the features; None if a feature has no such reports."""
    from msgspec.structs import replace

    sizes = [len(domain) for domain in values]
    if any(too_wide(name, size) for size in sizes) or (mechanism.bits and set(sizes) != {2}):
        return None
    if is_sampled(scenario, len(names)) and name not in SAMPLED:
        return None
    changed = replace(scenario, local=replace(scenario.local, mechanism=name))
    try:
        randomizers: Any = [question.randomizer for question in questions(changed, names, values)]
        variances = [randomizer.noise_of(task) for randomizer in randomizers]
    except LocalError:
        return None
    return sqrt(sum(variances) / len(variances) / people)


def _unknown_neighbours(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield the basis of epsilon after shuffling for mechanisms without neighbours of their own."""
    mechanism = scenario.local.mechanism
    if mechanism not in mechanisms() or not scenario.local.epsilon:
        return
    for question in questions(scenario, people.schema.names, people.values):
        randomizer = question.randomizer
        if randomizer.knows_neighbours or randomizer.messages_per_person > 1:
            continue
        basis = (
            f"the least entries of its {randomizer.outputs} x {randomizer.inputs} matrix"
            if randomizer.is_readable
            else f"its local epsilon, {randomizer.epsilon:.3g} nats, alone: an upper bound"
        )
        yield (
            f"{question.name}: {mechanism} has no neighbours of its own; epsilon after shuffling "
            f"will be certified from {basis}"
        )


def _division(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield the errors of both ways to divide epsilon over several features."""
    from msgspec.structs import replace

    name, d = scenario.local.mechanism, len(people.values)
    if d < 2 or name not in SAMPLED or not people.n:
        return
    mechanism, error = mechanisms()[name], {}
    for way in ("split", "sample"):
        changed = replace(scenario, local=replace(scenario.local, features=way))
        error[way] = _error(
            changed, name, mechanism, "shares", people.schema.names, people.values, people.n
        )
    split, sample = error["split"], error["sample"]
    if split and sample:
        best, error_ratio = (
            ("sample", split / sample) if sample < split else ("split", sample / split)
        )
        yield (
            f"standard error of {name} with epsilon divided over {d} features "
            f'{percent(split)}, with one feature a person (features = "sample") {percent(sample)}: '
            f"{best} needs {error_ratio**2:.1f} times fewer people at this local epsilon; after "
            "shuffling "
            "the order may be another (docs/randomized.md, many features)"
        )


def advice(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield the ranking of mechanisms in sentences, and the basis of later bounds."""
    yield from _unknown_neighbours(scenario, people)
    ranked = ranking(scenario, people.schema.names, people.values, people.n)
    if len(ranked) < 2:
        return
    own_place = next((place for place, choice in enumerate(ranked) if choice.is_configured), None)
    each = feature_budget(scenario, len(people.values))
    listed = ", ".join(f"{choice.mechanism} {percent(choice.error)}" for choice in ranked)
    yield (
        f"standard error {TASK_PHRASES[ranked[0].task]}, {people.n:,} reports at epsilon = "
        f"{each:.3g}, exact "
        f"for {LIKE.get(ranked[0].task, 'uniform answers')}: {listed}"
    )
    for choice in ranked:
        mechanism = choice.mechanism
        if mechanisms()[mechanism].split:
            yield f"{mechanism} is private by the mix alone; the others' epsilon needs no mix"
    yield from _division(scenario, people)
    if own_place == 0:
        yield f"{ranked[0].mechanism}, this scenario's, is best here"
    elif own_place:
        more = (ranked[own_place].error / ranked[0].error) ** 2
        if more > 1.005:
            yield (
                f"{ranked[0].mechanism} is best here: {ranked[own_place].mechanism} needs "
                f"{more:.2f} "
                "times the people for the same error"
            )
