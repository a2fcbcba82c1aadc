"""Advice on noise mechanisms for a scenario: errors of its estimates, and how to divide epsilon."""

from collections.abc import Iterator

from ...number_text import percent
from ...scenarios.populations import Population
from ...scenarios.programs.noisy_questions import feature_budget, questions
from ...scenarios.programs.randomized.check import SAMPLED
from ...scenarios.programs.randomized.choice import ranking, standard_error
from ...scenarios.schema.mechanisms import mechanisms
from ...scenarios.schema.model import Scenario

TASK_PHRASES = {
    "shares": "of a share of people",
    "mean": "of a mean, as a share of the range",
    "ranges": "of a share of people in a range",
    "key-values": "of a key's total a person, as a share of the range",
    "heavy-hitters": "of the share of a text as long as any",
    "longitudinal": "of a share of people, of one of many reports",
    "distribution": "of a share of people, unbiased",
}

# task -> the kind of value for which the printed standard error is exact, in words; for other
# tasks: uniform answers
LIKE = {"heavy-hitters": "one that nobody has"}


def _unknown_neighbours(scenario: Scenario, people: Population) -> Iterator[str]:
    """Yield lines on the data from which epsilon after shuffling will be certified.

    There is a line only for a mechanism that gives no report distributions for neighbouring data
    (data sets that differ in one person). Then the entries of its matrix are used, or its local
    epsilon alone. A mechanism with several messages a person is left out.
    """
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
    """Yield a line that compares two ways to spend epsilon on several features, by standard error.

    Either each feature gets a part of epsilon, or a person reports one random feature with all of
    it.
    """
    from msgspec.structs import replace

    name, d = scenario.local.mechanism, len(people.values)
    if d < 2 or name not in SAMPLED or not people.n:
        return
    mechanism, error = mechanisms()[name], {}
    for way in ("split", "sample"):
        changed = replace(scenario, local=replace(scenario.local, features=way))
        error[way] = standard_error(
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
    """Yield sentences that rank noise mechanisms by their error for a scenario.

    Other sentences advise how to divide epsilon over several features.
    """
    yield from _unknown_neighbours(scenario, people)
    ranked = ranking(scenario, people.schema.names, people.values, people.n)
    if len(ranked) < 2:
        return
    own_place = next((place for place, choice in enumerate(ranked) if choice.is_configured), None)
    each = feature_budget(scenario.local, len(people.values))
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
