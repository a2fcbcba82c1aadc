"""The plan of a session: all data that a session takes from its scenario, in one record.

Each part is a small record for the modules that need it: the announcement, the transport, the
attacks and countermeasures, and the settings of the scores. After the plan is made, only the record
of the run refers to the scenario.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....protocol.board.strategies import Strategy
from ....protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from ....protocol.wire.schema import Schema
from ...attacks.catalogue.settings import AttackSettings
from ...attacks.catalogue.strikes import Faults
from ...populations.samples import Samples
from ...programs.interface import ReleaseProgram, ScoringSettings
from ...programs.registry import announced_schema, participation, program_of, strategy, wire
from ...programs.scoring_settings import scoring_settings
from ...schema.model import Mix, Scenario
from .announcement import announced_rules

if TYPE_CHECKING:
    from ...programs.noisy_questions import Question
    from ...programs.random_participation import Participation


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """The plan of a session before it is played, for a run with messages (real) or without (ideal).

    Attributes:
        name: the name of the scenario.
        program: the release program.
        topology: the name of the topology.
        schema: the announced features.
        policy: the announced policy.
        rules: the announced rules of message transport.
        queries: the sequence of queries.
        mix: the settings of message transport.
        strategy: the queries and the decision of the curator.
        questions: the questions that users answer with noise; () without noise.
        participation: the rate of random participation; None: all take part.
        crowd: the people.
        faults: the faults of users, by user and round.
        attacks: the attacks and the countermeasures.
        scoring: the settings of the scores.
    """

    name: str
    program: ReleaseProgram
    topology: str
    schema: Schema
    policy: AnnouncedPolicy
    rules: Rules
    queries: Program
    mix: Mix
    strategy: Strategy
    questions: "Sequence[Question]"
    participation: "Participation | None"
    crowd: Samples
    faults: Faults
    attacks: AttackSettings
    scoring: ScoringSettings

    @classmethod
    def from_scenario(cls, scenario: Scenario, crowd: Samples, faults: Faults) -> "SessionPlan":
        """Return the plan of a scenario's session.

        crowd: the people of the session. faults: the faults of users, by user and round.
        """
        program = program_of(scenario)
        rules = announced_rules(scenario)
        attacks = AttackSettings.from_scenario(scenario, crowd)
        return cls(
            name=scenario.scenario.name,
            program=program,
            topology=attacks.topology,
            schema=announced_schema(scenario, crowd.people.schema),
            policy=program.policy(scenario),
            rules=rules,
            queries=wire(scenario),
            mix=scenario.mix,
            strategy=strategy(scenario, crowd.round2_people),
            questions=attacks.questions,
            participation=participation(scenario),
            crowd=crowd,
            faults=faults,
            attacks=attacks,
            scoring=scoring_settings(scenario, crowd),
        )
