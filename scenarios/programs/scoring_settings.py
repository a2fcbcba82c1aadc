"""The settings that the scores of a session take from its scenario, as a record."""

from ..populations.samples import Samples
from ..schema.model import Scenario
from .capability import AnswerKind
from .coalitions import coalitions
from .interface import ScoringSettings
from .registry import (
    announced_names,
    answers_in,
    noisy_questions,
    people_source,
    program_of,
    strategy,
)


def scoring_settings(scenario: Scenario, crowd: Samples) -> ScoringSettings:
    """Return the scoring settings of a scenario. crowd: its people, with their features."""
    program, names = program_of(scenario), crowd.people.schema.names
    proves = answers_in(scenario) is not AnswerKind.REPORTS and scenario.defence.promise
    return ScoringSettings(
        program=program,
        policy=scenario.policy,
        local=scenario.local,
        incidence=scenario.incidence,
        questions=noisy_questions(scenario, crowd.people),
        names=announced_names(scenario, names),
        sizes=people_source(scenario).sizes(crowd.people),
        proving=strategy(scenario, crowd.round2_people) if proves else None,
        coalitions=coalitions(scenario),
        knows=tuple(map(names.index, scenario.attacker.knows)),
        rows=scenario.population.rows,
        has_faults=bool(scenario.fault),
        deviates=bool(scenario.fault or scenario.deviation),
        expect=scenario.expect,
    )
