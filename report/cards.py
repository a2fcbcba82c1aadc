"""Role cards: the same scenario, played by a class on paper before it watches its own run.

Every person has a card with its values and a slip for each question; every shuffler and reader has
one that says what to do. The last sheet is the teacher's: what the paper run must come to, because
the cards are the people whom the scenario's seed draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import ParameterError
from ..scenarios.play.run import run
from ..scenarios.programs.registry import PROGRAMS, program_of, samples
from ..scenarios.programs.topology import central_only
from ..scenarios.schema.model import Scenario
from ..scenarios.scoring.outcome import Outcome
from ..scenarios.wording import many, percent
from .write import write

MOST = 60  # people: a large class
QUESTIONS = 8  # slips on a card


@dataclass(frozen=True, slots=True)
class Person:
    """A person's card: its number, and its value of each feature."""

    name: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Role:
    """The card of somebody who handles envelopes. steps: what to do, in order."""

    name: str
    duty: str
    steps: tuple[str, ...]


def cards(scenario: Scenario) -> str:
    """Write the cards of a scenario as a page of HTML to print.

    Raises ParameterError for a scenario that a class cannot play on paper: too many people or
    questions, people who change between the rounds, noise, or no seed to draw the same people with.
    """
    _check(scenario)
    crowd = samples(scenario, scenario.scenario.seed)
    if crowd.people.n > MOST or len(crowd.people.schema.names) > QUESTIONS:
        raise ParameterError(
            f"{scenario.scenario.name}: {many(crowd.people.n, 'person', 'people')} and "
            f"{many(len(crowd.people.schema.names), 'feature')}; cards are made for at most {MOST} "
            f"and {QUESTIONS}: lower population.users, or take `veilmix new classroom --cards`"
        )
    names = crowd.people.schema.names
    people = [
        Person(f"user-{i + 1}", tuple(zip(names, crowd.people.row(i), strict=True)))
        for i in range(crowd.people.n)
    ]
    outcome = run(scenario, scenario.scenario.seed, "ideal", worst_case_seconds=0)
    return write(
        "cards.html",
        "cards.css",
        title=scenario.scenario.title or scenario.scenario.name,
        scenario=scenario,
        people=people,
        roles=tuple(_roles(scenario, outcome)),
        answers=tuple(_answers(outcome)),
        features=names,
        shufflers=scenario.mix.shufflers,
    )


def _check(scenario: Scenario) -> None:
    name = scenario.scenario.name
    central_only(scenario, "a set of role cards")
    if not program_of(scenario).on_paper:
        played = [kind for kind, one in PROGRAMS.items() if one.on_paper]
        raise ParameterError(
            f"{name}: policy.kind = {scenario.policy.kind!r} is not played on paper; "
            f"{', '.join(played)} are"
        )
    if scenario.population.setting != "fixed" or scenario.fault:
        raise ParameterError(
            f"{name}: on paper the same people play both rounds, and nobody cheats; take a "
            "scenario with setting = fixed and without [[fault]]"
        )
    if scenario.scenario.seed is None:
        raise ParameterError(
            f"{name}: without a seed every run has other people, and the class could not watch its "
            "own; write seed = 1 into [scenario]"
        )


def _roles(scenario: Scenario, outcome: Outcome) -> Iterator[Role]:
    for hop in range(1, scenario.mix.shufflers + 1):
        yield _shuffler(hop, scenario.mix.shufflers)
    yield _curator(scenario, outcome)
    yield _analyst(scenario)


def _shuffler(hop: int, last: int) -> Role:
    receiver = f"shuffler-{hop + 1}" if hop < last else "the reader"
    first = (
        "Wait until everybody has handed in. Open the large envelopes and throw all small "
        "ones of all people together."
        if hop == 1
        else f"Take the batch from shuffler-{hop - 1}. Open the envelopes with your number."
    )
    return Role(
        f"shuffler-{hop}",
        "You see who hands in, and not what they say."
        if hop == 1
        else "You see neither who hands in nor what they say.",
        (
            first,
            "Put aside, and count aloud, what is not sealed or is there twice.",
            "Shuffle well. Do not look through the paper.",
            (
                f"Hand all of it to {receiver} at once: in round 1 the curator reads, in "
                "round 2 the analyst."
            ),
        ),
    )


def _curator(scenario: Scenario, outcome: Outcome) -> Role:
    policy = scenario.policy
    return Role(
        "curator",
        "You read round 1: how often each value of each question was said, and by nobody in "
        "particular.",
        (
            (
                "Open your envelopes and count the slips question by question, on the board for "
                "yourself only."
            ),
            (
                f"Nobody should hide in a crowd smaller than k = {policy.k}, except for at most "
                f"{percent(policy.max_exposure)} of the {outcome.users} people."
            ),
            (
                "Which questions may be asked together in round 2? Guess, and say why; then the "
                "teacher shows what can be proved."
            ),
            "Announce the questions of round 2.",
        ),
    )


def _analyst(scenario: Scenario) -> Role:
    return Role(
        "analyst",
        "You read round 2: one slip a person, with all released answers on it.",
        (
            "Count how many people said each combination. This is the release.",
            f"Is there a combination with fewer than {scenario.policy.k} people?",
            (
                "Whom can you name? Whom could you name together with the curator? With a "
                "shuffler? With all of them?"
            ),
        ),
    )


def _answers(outcome: Outcome) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """What the paper run must come to: a heading and rows of text and number."""
    counted = zip(outcome.schema.names, outcome.marginals or (), strict=False)
    yield (
        "Round 1, read by the curator",
        tuple(
            (name, ", ".join(f"{values[0]}: {people}" for values, people in sorted(counts.items())))
            for name, counts in counted
        ),
    )
    yield (
        "What can be proved of each set of questions",
        tuple(
            (
                " x ".join(one.columns),
                f"at most {percent(one.promised)} exposed: "
                + ("may be released" if one.safe else "too exposed"),
            )
            for one in outcome.considered
        ),
    )
    kept = " x ".join(outcome.kept) or "nothing"
    yield (
        f"Round 2, read by the analyst: {kept}",
        tuple(
            (" ".join(values), many(people, "person", "people"))
            for values, people in sorted((outcome.release or {}).items())
        ),
    )
    from ..analysis.trust import minimal

    smallest = minimal({one.parties: one.linked for one in outcome.coalitions})
    yield (
        "Who must work together to name anybody",
        tuple((" + ".join(parties), "everybody's slips") for parties in smallest),
    )
