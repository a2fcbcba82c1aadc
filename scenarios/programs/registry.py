"""The registry of release programs: the program of a kind of policy, and its answers.

A program is imported at its first use: validating a scenario of one kind loads no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..schema.kinds import kinds
from ..schema.model import Scenario
from ..schema.plugs import load
from ..schema.problems import Problem
from .capabilities import C, LocalNoise, ThresholdOpening

if TYPE_CHECKING:
    from ...protocol.board.strategies import RoundResult, Strategy
    from ...protocol.wire.announcement import Program
    from ...protocol.wire.messages import Decision
    from ...protocol.wire.schema import Schema
    from ..populations import Population
    from ..populations.facts import ScenarioFacts
    from ..populations.samples import Samples
    from .interface import ReleaseProgram
    from .noisy_questions import Question
    from .random_participation import Participation


@cache
def _load_program(place: str) -> "ReleaseProgram":
    program: ReleaseProgram = load(place)()
    return program


class ProgramRegistry(Mapping[str, "ReleaseProgram"]):
    """Every program by the kind of policy it plays."""

    def __getitem__(self, kind: str) -> "ReleaseProgram":
        return _load_program(kinds()[kind])

    def __iter__(self) -> Iterator[str]:
        return iter(kinds())

    def __len__(self) -> int:
        return len(kinds())


PROGRAMS = ProgramRegistry()


def program_of(scenario: Scenario) -> "ReleaseProgram":
    """The program that plays a scenario."""
    return PROGRAMS[scenario.policy.kind]


def capability(scenario: Scenario, kind: type[C]) -> C | None:
    """Return the part of this kind of a scenario's program; None if the program has none."""
    return program_of(scenario).capability(kind)


def heard_as(questions: "Program") -> "ReleaseProgram":
    """Return the first program with this sequence of queries.

    For callers with an announcement and no scenario: an announcement does not state the kind. That
    users submit once does not change the queries.
    """
    from ...protocol.wire.announcement import Program

    sequence = Program.TWO_ROUND if questions is Program.TWO_ROUND_ONCE else questions
    return next(program for program in PROGRAMS.values() if program.wire == sequence)


def randomizing() -> tuple[str, ...]:
    """Return the kinds in which users randomize their answers."""
    return tuple(kind for kind, program in PROGRAMS.items() if program.capability(LocalNoise))


def wire(scenario: Scenario) -> "Program":
    """Return the sequence of queries of a scenario."""
    from ...protocol.wire.announcement import Program

    once = scenario.mix.submit == "once"
    return Program.TWO_ROUND_ONCE if once else Program(program_of(scenario).wire)


def strategy(scenario: Scenario, new_people: int | None = None) -> "Strategy":
    """Return the strategy of a scenario's curator: its queries and its decision.

    new_people: in the statistical setting, the number of people in round 2; None: the same people.
    """
    return program_of(scenario).strategy(scenario, new_people)


UNCHECKED_QUERIES = (
    "the curator can query all columns together, whatever the rule and curator_exposure say: "
    "counts are secret, so no other party can tell which query is due (with publish_marginals = "
    "true users check each query, and do not answer a forbidden one)"
)


def unchecked_queries(scenario: Scenario) -> tuple[str, ...]:
    """Return the limit that a curator queries by secret counts; () for other programs."""
    secret = program_of(scenario).deepens and not scenario.policy.publish_marginals
    return (UNCHECKED_QUERIES,) if secret else ()


def noisy_questions(scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
    """Return the questions of a scenario that are answered with noise; () without noise."""
    noise = capability(scenario, LocalNoise)
    return noise.questions(scenario, people) if noise else ()


def participation(scenario: Scenario) -> "Participation | None":
    """Return the rate of random participation; None if all take part."""
    opening = capability(scenario, ThresholdOpening)
    return opening.participation(scenario.policy) if opening else None


def announced_schema(scenario: Scenario, schema: "Schema") -> "Schema":
    """Return the announced features: reports in place of values if users randomize."""
    noise = capability(scenario, LocalNoise)
    return noise.schema(scenario, schema) if noise else schema


def announced_names(scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the announced features."""
    noise = capability(scenario, LocalNoise)
    return noise.names(scenario, names) if noise else tuple(names)


def facts(scenario: Scenario, base: Path) -> "tuple[ScenarioFacts, list[Problem]]":
    """Return the people of a scenario, and the problems of its requests to the data source."""
    return program_of(scenario).facts(scenario, base)


def samples(scenario: Scenario, seed: int | None) -> "Samples":
    """Draw the people of a scenario. Raises DataError for data that do not fit it."""
    return program_of(scenario).samples(scenario, seed)


def verify_decision(
    decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
) -> None:
    """Recompute a decision's certificate from all that the curator read.

    Raises VerificationError if it claims less than can be proved of the released columns. The name
    of the certificate's rule determines the program that proves it.
    """
    rule = decision.certificate.rule
    proving = (kind for kind in PROGRAMS if PROGRAMS[kind].proves(rule))
    PROGRAMS[next(proving, "exposure")].verify_decision(decision, schema, round_results)
