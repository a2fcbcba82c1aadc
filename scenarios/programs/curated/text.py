"""The steps and the promise of programs with a deciding curator, in words."""

from typing import TYPE_CHECKING

from ....presentation.wording import percent, plural

if TYPE_CHECKING:
    from ...populations import Population
    from ...schema.model import Scenario

COUNTING = "The curator counts each feature by itself"
COUNTING_PERSONS = "The curator counts the persons with each value of each feature"
UNPROMISED = "none: the columns are chosen beforehand; the bound is printed all the same"


def last_round_sentence(scenario: "Scenario") -> str:
    """Return a sentence on the last round: its users and its query."""
    if scenario.mix.submit == "once":
        return (
            "Nobody is asked again: the analyst checks all ballots of round 1, every shuffler "
            "posts their kept features in rows, re-encrypted and in another order, with a proof; "
            "the analyst counts and publishes."
        )
    fixed = scenario.population.setting == "fixed"
    respondents = (
        "The same people answer once more" if fixed else "Other people of the same kind answer"
    )
    return f"{respondents}, the kept features together; the analyst counts and publishes."


def describe(people: "Population") -> list[str]:
    """Return a line for each feature, with its number of values."""
    return [
        f"{feature.name}: {plural(len(texts), 'value')}"
        + ("" if feature.values is not None else f", open: up to {feature.width} bytes")
        for feature, texts in zip(people.schema.features, people.values, strict=True)
    ]


def promise(scenario: "Scenario", sure: str = "") -> str:
    """Return the promise for the people in a release. sure: the confidence, as a clause."""
    policy = scenario.policy
    if scenario.population.rows is not None:
        return (
            f"at most {percent(policy.max_exposure)} of the persons have a row, as released, that "
            f"fewer than k = {policy.k} persons have, themselves included"
        )
    if scenario.population.setting != "fixed":
        sure = f"; it may fail with probability {policy.delta:g}, as others were counted"
    return (
        f"at most {percent(policy.max_exposure)} of the people share their released values with "
        f"fewer than k = {policy.k} people, themselves included{sure}"
    )
