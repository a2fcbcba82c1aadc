"""Role cards: the same scenario, played by a class on paper before it watches its own run.

Every person has a card with its values and a slip for each question; every shuffler and reader has
a card that lists its steps. The last sheet is the teacher's: it has the expected results of the
paper run. They are known because the cards are the people that the scenario's seed draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError
from ..scenarios.play.run import run
from ..scenarios.programs.registry import PROGRAMS, program_of, samples
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.model import Scenario
from ..scenarios.scoring.outcome import Outcome
from ..scenarios.validation.load import change
from ..scenarios.wording import percent, plural
from .paper import PaperScenario, on_paper
from .write import write

MOST = 60  # people: a large class
STYLE = "cards.css"
QUESTIONS = 8  # slips on a card


@dataclass(frozen=True, slots=True)
class PersonCard:
    """A person's card: its number, and its value of each feature.

    Attributes:
        name: the name on the card.
        values: per feature its name and the value.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def cards(scenario: Scenario, people: int | None = None) -> str:
    """Write the cards of a scenario as a page of HTML to print.

    people: number of cards, if it is not the scenario's. Raises ParameterError for a
    scenario that a class cannot play on paper, as `cards_body` does.
    """
    return write("cards.html", STYLE, **_template_values(scenario, people))


def commands(scenario: Scenario, people: int | None = None) -> tuple[str, str]:
    """Return the commands that run, and that show, the people on the cards."""
    name = scenario.scenario.name
    if people in (None, scenario.population.users):
        return f"veilmix run {name}", f"veilmix theatre {name}"
    before = f"veilmix new {name}; users = {people} in {name}.toml"
    return f"{before}; veilmix run {name}.toml", f"{before}; veilmix theatre {name}.toml"


def cards_body(scenario: Scenario, people: int | None = None) -> str:
    """Write the cards of a scenario, without the page around them; `STYLE` is their style sheet.

    Raises ParameterError for a scenario that a class cannot play on paper: too many people or
    questions, people who change between the rounds, noise, or no seed to draw the same people with.
    """
    return write("cards_body.html", STYLE, **_template_values(scenario, people))


def _template_values(scenario: Scenario, people: int | None) -> dict[str, Any]:
    """Return the values of the templates."""
    runs, shows = commands(scenario, people)
    if people not in (None, scenario.population.users):
        title = f"{scenario.scenario.name}, {plural(people, 'person', 'people')}"
        scenario = change(scenario, {"population.users": people, "scenario.title": title})
    _check(scenario)
    crowd = samples(scenario, scenario.scenario.seed)
    if crowd.people.n > MOST or len(crowd.people.schema.names) > QUESTIONS:
        raise ParameterError(
            f"{scenario.scenario.name}: {plural(crowd.people.n, 'person', 'people')} and "
            f"{plural(len(crowd.people.schema.names), 'feature')}; cards are made for at most "
            f"{MOST} and {QUESTIONS}: lower population.users, or take "
            "`veilmix new classroom --cards`"
        )
    names = crowd.people.schema.names
    drawn = [
        PersonCard(
            topology_of(scenario).person(i), tuple(zip(names, crowd.people.row(i), strict=True))
        )
        for i in range(crowd.people.n)
    ]
    outcome = run(scenario, scenario.scenario.seed, "ideal", worst_case_nodes=0)
    paper = on_paper(scenario, outcome, names)
    return {
        "title": scenario.scenario.title or scenario.scenario.name,
        "scenario": scenario,
        "people": drawn,
        "runs": runs,
        "shows": shows,
        "paper": paper,
        "answers": tuple(_answers(outcome, paper)),
    }


def _check(scenario: Scenario) -> None:
    name = scenario.scenario.name
    if not program_of(scenario).on_paper:
        played = [kind for kind, program in PROGRAMS.items() if program.on_paper]
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


def _answers(
    outcome: Outcome, paper: PaperScenario
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield the expected results of the paper run: a heading, and rows of text and number."""
    counted = zip(outcome.schema.names, outcome.marginals or (), strict=False)
    yield (
        f"Round 1, {paper.readers[0]}",
        tuple(
            (name, ", ".join(f"{values[0]}: {people}" for values, people in sorted(counts.items())))
            for name, counts in counted
        ),
    )
    yield (
        "What can be proved of each set of questions",
        tuple(
            (
                " x ".join(option.columns),
                f"at most {percent(option.promised)} exposed: "
                + ("may be released" if option.safe else "too exposed"),
            )
            for option in outcome.considered
        ),
    )
    kept = " x ".join(outcome.kept) or "nothing"
    yield (
        f"Round 2, {paper.readers[1]}: {kept}",
        tuple(
            (" ".join(values), plural(people, "person", "people"))
            for values, people in sorted((outcome.release or {}).items())
        ),
    )
    yield "Who must work together to name anybody", paper.naming
