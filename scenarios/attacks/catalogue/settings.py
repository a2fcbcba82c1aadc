"""The settings that attacks and guards (countermeasures) of a session take from its scenario."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ...populations.samples import Samples
from ...programs.registry import noisy_questions, program_of, strategy_under
from ...programs.topology import topology_of
from ...schema.model import Defence, DeviationSection, Fault, Local, Policy, Scenario

if TYPE_CHECKING:
    from ....protocol.board.strategies import Strategy
    from ...programs.interface import ReleaseProgram
    from ...programs.noisy_questions import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackSettings:
    """The attacks of a session, and the parts of its scenario that attacks and guards read.

    Attributes:
        entries: the entries of `[[fault]]`, in the order of the file.
        deviations: the entries of `[[deviation]]`.
        program: the release program.
        topology: the name of the topology: central parties, or peers.
        policy: the policy of the curator.
        local: the noise that users add.
        defence: the table `[defence]`, which switches guards (countermeasures) on and off.
        registered: whether only users known beforehand may send.
        questions: the questions that are answered with noise; () without noise.
        strategy: returns the strategy of the curator under another policy.
    """

    entries: tuple[Fault, ...]
    deviations: tuple[DeviationSection, ...]
    program: "ReleaseProgram"
    topology: str
    policy: Policy
    local: Local
    defence: Defence
    registered: bool
    questions: "Sequence[Question]"
    strategy: "Callable[[Policy], Strategy]"

    @classmethod
    def from_scenario(cls, scenario: Scenario, crowd: Samples) -> "AttackSettings":
        """Return the attack settings of a scenario. crowd: the people of the session."""
        return cls(
            entries=scenario.fault,
            deviations=scenario.deviation,
            program=program_of(scenario),
            topology=topology_of(scenario).name,
            policy=scenario.policy,
            local=scenario.local,
            defence=scenario.defence,
            registered=scenario.registered,
            questions=noisy_questions(scenario, crowd.people),
            strategy=partial(strategy_under, scenario, crowd.round2_people),
        )
