"""Role cards to print: a class plays a scenario on paper before it watches the same run.

Every person has a card with its values and a slip for each question; every shuffler and reader has
a card that lists its steps. The last sheet is the teacher's: it has the expected results of the
paper run. They are known because the cards are the people that the scenario's seed draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError
from ..languages.language import Language, english
from ..number_text import plural
from ..scenarios.lab.play.run import run
from ..scenarios.lab.scoring.outcome import Outcome
from ..scenarios.lab.validation.load import change
from ..scenarios.programs.capabilities import FixedColumns, RuleDecision
from ..scenarios.programs.interface import ReleaseProgram
from ..scenarios.programs.registry import PROGRAMS, program_of, samples
from ..scenarios.schema.model import Scenario
from ..scenarios.schema.single_rows import require_single_rows
from .paper import PaperScenario, on_paper, person_name, share_text
from .write import write

MAX_PEOPLE = 60  # people with cards at most: a large class
STYLE = "cards.css"
QUESTIONS = 8  # questions at most, each with a slip on a card


@dataclass(frozen=True, slots=True)
class PersonCard:
    """A person's card: the name on it, and a value of each feature.

    Attributes:
        name: the name on the card, such as `Person 7`.
        values: name and value of each feature.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def cards(scenario: Scenario, people: int | None = None, language: Language | None = None) -> str:
    """Write the role cards of a scenario as a page of HTML to print.

    Args:
        scenario: the scenario that a class plays.
        people: number of cards, if different from the scenario's number of people.
        language: language of the cards; None: English. Names and values of questions stay as in the
            scenario.

    Raises:
        ParameterError: a class cannot play the scenario on paper: too many people or questions,
            people who change between the rounds, noise, or no seed to draw the same people with.
    """
    return write("cards.html", STYLE, **_template_values(scenario, people, language or english()))


def commands(scenario: Scenario, people: int | None = None) -> tuple[str, str]:
    """Return two commands: to run the scenario with the people on the cards, and to show that run.

    people: number of cards; if it is not the scenario's, the commands first change a copy.
    """
    name = scenario.scenario.name
    if people in (None, scenario.population.users):
        return f"veilmix run {name}", f"veilmix theatre {name}"
    preparation = f"veilmix new {name}; users = {people} in {name}.toml"
    return f"{preparation}; veilmix run {name}.toml", f"{preparation}; veilmix theatre {name}.toml"


def cards_body(scenario: Scenario, people: int, language: Language) -> str:
    """Write the cards of a scenario without the page around them, to be put into another page.

    The style sheet is `STYLE`. Arguments and errors are those of `cards`.
    """
    return write("cards_body.html", STYLE, **_template_values(scenario, people, language))


def _template_values(scenario: Scenario, people: int | None, language: Language) -> dict[str, Any]:
    """Return the variables of the card templates: people, roles, steps and expected results.

    Draws the people of the scenario's seed, and plays an ideal run for the expected results.
    """
    words = language.part("cards")
    runs, shows = commands(scenario, people)
    if people not in (None, scenario.population.users):
        title = f"{scenario.scenario.name}, {words.say('people', n=people)}"
        scenario = change(scenario, {"population.users": people, "scenario.title": title})
    _check(scenario)
    crowd = samples(scenario, scenario.scenario.seed)
    if crowd.people.n > MAX_PEOPLE or len(crowd.people.schema.names) > QUESTIONS:
        raise ParameterError(
            f"{scenario.scenario.name}: {plural(crowd.people.n, 'person', 'people')} and "
            f"{plural(len(crowd.people.schema.names), 'feature')}; cards are made for at most "
            f"{MAX_PEOPLE} and {QUESTIONS}: lower population.users, or take "
            "`veilmix new classroom --cards`"
        )
    names = crowd.people.schema.names
    drawn = [
        PersonCard(
            person_name(scenario, i, words), tuple(zip(names, crowd.people.row(i), strict=True))
        )
        for i in range(crowd.people.n)
    ]
    outcome = run(scenario, scenario.scenario.seed, "ideal", worst_case_nodes=0)
    paper = on_paper(scenario, outcome, names, words)
    share = f"{100 * scenario.policy.max_exposure:g} %".replace(".", words.decimal)
    return {
        "lang": words.tag,
        "dir": words.direction,
        "say": words.say,
        "title": scenario.scenario.title or scenario.scenario.name,
        "people": drawn,
        "runs": runs,
        "shows": shows,
        "paper": paper,
        "rule": words.say("policy", share=share, k=scenario.policy.k),
        "seed": words.say("seed", seed=scenario.scenario.seed),
        "answers": tuple(_answers(outcome, paper, words)),
    }


def is_on_paper(program: "ReleaseProgram") -> bool:
    """Whether a class can play a program with paper envelopes.

    It can if the program decides by a rule on counts of single columns, or releases fixed columns.
    """
    return any(program.capability(kind) for kind in (RuleDecision, FixedColumns))


def _check(scenario: Scenario) -> None:
    """Raise ParameterError if a class cannot play the scenario on paper."""
    name = scenario.scenario.name
    require_single_rows(scenario, "new --cards")
    if not is_on_paper(program_of(scenario)):
        played = [kind for kind, program in PROGRAMS.items() if is_on_paper(program)]
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
    outcome: Outcome, paper: PaperScenario, words: Language
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield the expected results of the paper run: a heading, with rows of text and number.

    The tables: counts of round 1, bounds of the column sets, counts of round 2, linking coalitions.
    """
    counted = zip(outcome.schema.names, outcome.marginals or (), strict=False)
    yield (
        words.say("first-round", reader=paper.readers[0]),
        tuple(
            (name, ", ".join(f"{values[0]}: {people}" for values, people in sorted(counts.items())))
            for name, counts in counted
        ),
    )
    yield (
        words.say("proved"),
        tuple(
            (
                " x ".join(option.columns),
                words.say(
                    "safe" if option.safe else "risky", share=share_text(option.promised, words)
                ),
            )
            for option in outcome.considered
        ),
    )
    released_columns = " x ".join(outcome.kept) or words.say("nothing")
    yield (
        words.say("second-round", reader=paper.readers[1], kept=released_columns),
        tuple(
            (" ".join(values), words.say("people", n=people))
            for values, people in sorted((outcome.release or {}).items())
        ),
    )
    yield words.say("together"), paper.naming
