"""Role cards to print: a class acts out a scenario with paper envelopes, then watches the same run.

Every person has a card with its values and a slip for each question. Every shuffler and reader has
a card that lists its steps. The last sheet is for the teacher and holds the results that the class
should obtain. They are known because the cards have the people that the scenario's seed draws.
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

MAX_PEOPLE = 60  # largest number of people with printed cards: a large class
STYLE = "cards.css"
QUESTIONS = 8  # largest number of questions, because each has a slip on a printed card


@dataclass(frozen=True, slots=True)
class PersonCard:
    """The printed card of a person: the name on it, and a value of each feature.

    Attributes:
        name: the name on the card, such as `Person 7`.
        values: (name, value) of each feature.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def cards(scenario: Scenario, people: int | None = None, language: Language | None = None) -> str:
    """Write the role cards of a scenario as a page of HTML to print.

    With the cards, a class acts out the scenario with paper envelopes.

    Args:
        scenario: the scenario that the class acts out.
        people: the number of person cards; None: the scenario's number of people.
        language: the language of the cards; None: English. Names and values of questions stay as in
            the scenario.

    Raises:
        ParameterError: the scenario cannot be acted out on paper: too many people or questions,
            people that change between the rounds, noise, or no seed to draw the same people with.
    """
    return write("cards.html", STYLE, **_template_values(scenario, people, language or english()))


def commands(scenario: Scenario, people: int | None = None) -> tuple[str, str]:
    """Return two commands: to run a scenario with the people on its printed cards, and to watch it.

    people: the number of person cards. If it is not the scenario's number of people, the commands
    first change a copy of the scenario.
    """
    name = scenario.scenario.name
    if people in (None, scenario.population.users):
        return f"veilmix run {name}", f"veilmix theatre {name}"
    preparation = f"veilmix new {name}; users = {people} in {name}.toml"
    return f"{preparation}; veilmix run {name}.toml", f"{preparation}; veilmix theatre {name}.toml"


def cards_body(scenario: Scenario, people: int, language: Language) -> str:
    """Write the role cards of a scenario without the page around them, to be put into another page.

    The other page needs the style sheet `STYLE`. people: the number of person cards. language: the
    language of the cards. ParameterError if the scenario cannot be acted out on paper, for example
    because it has too many people or questions.
    """
    return write("cards_body.html", STYLE, **_template_values(scenario, people, language))


def _template_values(scenario: Scenario, people: int | None, language: Language) -> dict[str, Any]:
    """Return the variables of the role cards' template: people, roles, steps and expected results.

    It draws the people of the scenario's seed, and computes the expected results in an ideal run
    (without messages).
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
    """Whether a group of pupils can act out a release program with paper envelopes.

    They can if the program decides by a rule on counts of single columns, or releases fixed
    columns.
    """
    return any(program.capability(kind) for kind in (RuleDecision, FixedColumns))


def _check(scenario: Scenario) -> None:
    """Raise ParameterError if pupils cannot act out the scenario with paper envelopes.

    The release program must be possible on paper, and people must be the same in both rounds. No
    party may deviate, and a seed must draw the people.
    """
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
    """Yield the results that a class should obtain with the cards: a heading, and table rows.

    The tables: counts of round 1, bounds of the column sets, counts of round 2, and the coalitions
    that can link people to their answers.
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
    released_columns = " x ".join(outcome.released_columns) or words.say("nothing")
    yield (
        words.say("second-round", reader=paper.readers[1], kept=released_columns),
        tuple(
            (" ".join(values), words.say("people", n=people))
            for values, people in sorted((outcome.release or {}).items())
        ),
    )
    yield words.say("together"), paper.naming
