"""What the page is told of a run before its first move.

name, title      of the scenario
people           how many there are
columns          the names of what is asked about: features, or reports about them
sizes            values of each column of the people's table
topology         who carries messages: central or peers
person           what is before the number in a person's name
numbered         what is before the number in the names of the parties that the number keys choose
decision         the heading above what was decided
picture          what the picture shows, for who does not see it
sliders          what a live run may change: now, least and most of each
parties          who can be looked through, in the order of the stage, without single people
shufflers        how many
k, share         the promise: at most this share of the people in a crowd smaller than k
fixed            whether all rounds ask the same people
locked           whether ballots open only with the shares that all shufflers show (a challenge)
reports          whether people randomized what they said
opens            where only what k people share opens: k, whether prefixes do, and whether its
                 reader publishes less than it opens; null elsewhere
rule             how columns are chosen, in a sentence
seed             None where the run is secret
cheating         what coalitions learn that cheat, if that was measured (cheating.py)
deviated         what went wrong in the run, and what stands in the place of statements of safety;
                 null if nothing did
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..protocol.opened_prefixes import by_prefixes, closes_further
from ..scenarios.programs.interface import Considered
from ..scenarios.programs.registry import program_of
from ..scenarios.programs.stage import rule
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.model import Scenario
from ..scenarios.studies.cheating_result import CheatingStudy
from ..scenarios.verification.deviations import NOT_BY_WATCHING
from ..scenarios.wording import sentence
from .cheating import cheating_data
from .stages import stage_of


def page_data(
    scenario: Scenario,
    people: int,
    columns: Sequence[str],
    sizes: Sequence[int],
    seed: int | None,
    cheating: CheatingStudy | None = None,
    deviated: Sequence[str] = (),
) -> dict[str, Any]:
    """Give what the page is told of a run. cheating: what was measured beside it.

    deviated: what went wrong in it (scenarios/verification/deviations.py).
    """
    topology, stage = topology_of(scenario), stage_of(scenario)
    return {
        "topology": topology.name,
        "name": scenario.scenario.name,
        "title": scenario.scenario.title or scenario.scenario.name,
        "people": people,
        "columns": list(columns),
        "sizes": list(sizes),
        "person": topology.person(0).partition("-")[0],
        "parties": stage.parties(scenario, people),
        "numbered": stage.numbered,
        "shufflers": scenario.mix.shufflers,
        "decision": stage.decision,
        "picture": stage.picture,
        "sliders": {
            name: {"now": slider.now(scenario, people), "least": slider.least, "most": slider.most}
            for name, slider in stage.sliders.items()
        },
        "k": scenario.policy.k,
        "share": scenario.policy.max_exposure,
        "fixed": scenario.population.setting == "fixed",
        "locked": scenario.defence.locks,
        "reports": program_of(scenario).reports,
        "opens": opening(scenario),
        "rule": program_of(scenario).stage_rule(scenario.policy),
        "sorted": scenario.mix.order == "sorted",
        "seed": seed,
        "cheating": cheating_data(scenario, cheating),
        "deviated": deviated_data(deviated),
    }


def opening(scenario: Scenario) -> dict[str, Any] | None:
    """Return the announced rule of opening; None for programs that count all values."""
    program = program_of(scenario)
    if not program.opens:
        return None
    policy = program.policy(scenario)
    prefixes, closes = by_prefixes(policy.rule), closes_further(policy.rule)
    return {"k": policy.k, "prefixes": prefixes, "closes": closes}


def deviated_data(lines: Sequence[str]) -> dict[str, Any] | None:
    """What the page says before anything else of a run in which something went wrong; else None."""
    return {"first": list(lines), "instead": sentence(NOT_BY_WATCHING)} if lines else None


def choices(considered: Iterable[Considered]) -> list[dict[str, Any]]:
    """The column sets that the curator looked at, as the page shows them."""
    return [
        {
            "columns": list(option.columns),
            "promised": option.promised,
            "rule": rule(option.rule),
            "safe": option.safe,
        }
        for option in considered
    ]
