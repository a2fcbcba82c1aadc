"""The facts of a run that the page receives before its first event.

name, title      of the scenario
people           the number of people
columns          the names of the requested columns: features, or reports about them
sizes            the number of values of each column of the people's table
topology         the way of messages: central (through shufflers) or peers
mix              the kind of mix: onion or verified
once             whether people submit once, for both rounds
person           the text before the number in a person's name
numbered         the kind of party that the number keys choose: key 1 chooses the first shuffler
decision         the heading above the decision
picture          the content of the picture in words, for viewers that cannot see it
sliders          the numbers that a viewer of a live run may change: now, least and most of each
parties          the parties that can be chosen, in the order of the picture, without single people
shufflers        the number of shufflers
k, share         the privacy target: at most this share of people in a class smaller than k
fixed            whether all rounds ask the same people
locked           whether ballots open only with the shares that all shufflers show (a challenge)
reports          whether people randomized their answers
opens            for a release program that opens only rows of k people: k, whether beginnings of
                 rows (prefixes) open too, and whether the reader publishes less than it opens; null
                 for other programs
rule             how columns are chosen, in a sentence
sorted           whether shufflers sort their batches
seed             the seed of the run; null if it is secret
cheating         the study of malicious coalitions, if there is one (cheating.py)
deviated         the deviations of the run, and the text in place of statements of safety; null
                 without deviations
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..languages.language import Language
from ..presentation.decision_captions import rule
from ..presentation.presenters.registry import presenter_of
from ..protocol.rounds.opened_prefixes import by_prefixes, closes_further
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.interface import ConsideredColumns
from ..scenarios.programs.registry import answers_for, answers_in, program_of
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.model import Scenario
from ..scenarios.studies.cheating.cheating_result import CheatingStudy
from .cheating import cheating_data
from .language import theatre_sentences
from .stage_data import stage_of


def page_data(
    scenario: Scenario,
    people: int,
    columns: Sequence[str],
    sizes: Sequence[int],
    seed: int | None,
    cheating: CheatingStudy | None = None,
    deviated: Sequence[str] = (),
    language: Language | None = None,
) -> dict[str, Any]:
    """Return the facts of a run for the page; the module lists them.

    Args:
        scenario: the scenario of the run.
        people: the number of people.
        columns: the names of the requested columns.
        sizes: the number of values of each column of the people's table.
        seed: the seed of the run; None: it is secret.
        cheating: the study of malicious coalitions that was saved with the run; None: no study.
        deviated: a sentence for each deviation in the run (records/verification/deviations.py).
        language: language of the sentences; None: English.
    """
    words = theatre_sentences(language)
    topology, stage = topology_of(scenario), stage_of(scenario)
    return {
        "topology": topology.name,
        "mix": scenario.mix.kind,
        "once": scenario.mix.submit == "once",
        "name": scenario.scenario.name,
        "title": scenario.scenario.title or scenario.scenario.name,
        "people": people,
        "columns": list(columns),
        "sizes": list(sizes),
        "person": topology.person(0).partition("-")[0],
        "parties": stage.parties(scenario, people),
        "numbered": stage.numbered,
        "shufflers": scenario.mix.shufflers,
        "decision": words.say(stage.decision),
        "picture": words.say(stage.picture),
        "sliders": {
            name: {
                "now": slider.now(scenario, people),
                "least": slider.minimum,
                "most": slider.maximum,
            }
            for name, slider in stage.sliders.items()
        },
        "k": scenario.policy.k,
        "share": scenario.policy.max_exposure,
        "fixed": scenario.population.setting == "fixed",
        "locked": scenario.defence.locks,
        "reports": answers_in(scenario) is AnswerKind.REPORTS,
        "opens": opening(scenario),
        "rule": presenter_of(scenario).stage_rule(scenario.policy, words),
        "sorted": scenario.mix.order == "sorted",
        "seed": seed,
        "cheating": cheating_data(scenario, cheating, language),
        "deviated": deviated_data(deviated, language),
    }


def opening(scenario: Scenario) -> dict[str, Any] | None:
    """Return the announced conditions under which rows open, for the page.

    None for release programs that count all values.
        k         the number of people that have to submit a row before it opens
        prefixes  whether beginnings of rows that k people share open too
        closes    whether the reader leaves opened groups unpublished if they would reveal smaller
            groups
    """
    program = program_of(scenario)
    if answers_for(program) is not AnswerKind.OPENED:
        return None
    policy = program.policy(scenario)
    prefixes, closes = by_prefixes(policy.rule), closes_further(policy.rule)
    return {"k": policy.k, "prefixes": prefixes, "closes": closes}


def deviated_data(lines: Sequence[str], language: Language | None = None) -> dict[str, Any] | None:
    """Return the sentences that the page shows first if a run has deviations; else None.

    lines: a sentence for each deviation. language: language of the page's own sentence that
    replaces statements of safety; None: English.
    """
    words = theatre_sentences(language)
    return {"first": list(lines), "instead": words.say("says-not-by-watching")} if lines else None


def choices(
    considered: Iterable[ConsideredColumns], language: Language | None = None
) -> list[dict[str, Any]]:
    """Return the column sets that the curator considered for release, as the page shows them."""
    words = theatre_sentences(language)
    return [
        {
            "columns": list(option.columns),
            "promised": option.promised,
            "rule": rule(option.rule, words),
            "safe": option.safe,
        }
        for option in considered
    ]
