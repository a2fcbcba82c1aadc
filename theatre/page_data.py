"""What the page is told of a run before its first move.

name, title      of the scenario
people           how many there are
columns          the names of what is asked about: features, or reports about them
sizes            values of each column of the people's table
parties          who can be looked through, in the order of the stage, without single people
shufflers        how many
k, share         the promise: at most this share of the people in a crowd smaller than k
fixed            whether all rounds ask the same people
reports          whether people randomized what they said
rule             how columns are chosen, in a sentence
seed             None where the run is secret
warnings         what is not safe outside a lesson
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..protocol import parties
from ..scenarios.programs.interface import Considered
from ..scenarios.programs.registry import program_of
from ..scenarios.schema.model import Scenario
from .captions import rule


def page_data(
    scenario: Scenario, people: int, columns: Sequence[str], sizes: Sequence[int], seed: int | None
) -> dict[str, Any]:
    """Give what the page is told of a run."""
    shufflers = [parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers)]
    return {
        "name": scenario.scenario.name,
        "title": scenario.scenario.title or scenario.scenario.name,
        "people": people,
        "columns": list(columns),
        "sizes": list(sizes),
        "parties": [*shufflers, parties.CURATOR, parties.ANALYST, parties.NETWORK],
        "shufflers": scenario.mix.shufflers,
        "k": scenario.policy.k,
        "share": scenario.policy.max_exposure,
        "fixed": scenario.population.setting == "fixed",
        "reports": program_of(scenario).reports,
        "rule": program_of(scenario).stage_rule(scenario.policy),
        "sorted": scenario.mix.order == "sorted",
        "seed": seed,
    }


def choices(considered: Iterable[Considered]) -> list[dict[str, Any]]:
    """The column sets that the curator looked at, as the page shows them."""
    return [
        {
            "columns": list(one.columns),
            "promised": one.promised,
            "rule": rule(one.rule),
            "safe": one.safe,
        }
        for one in considered
    ]
