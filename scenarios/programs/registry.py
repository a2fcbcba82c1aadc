"""The registry of release programs: the program of a scenario, and facts that its parts state.

A program is imported at its first use, so that checking a scenario loads only its program.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...errors import ParameterError
from ...protocol.wire.schema import MAX_FEATURES, Feature, Schema
from ..schema.kinds import kinds
from ..schema.model import Policy, Scenario
from ..schema.plugs import load
from ..schema.problems import Problem, listed
from .capabilities import ColumnDecision, DeeperQueries, FixedColumns, LocalNoise, ThresholdOpening
from .capability import AnswerKind, C
from .people_source import COLUMNS, PeopleSource

if TYPE_CHECKING:
    from ...protocol.board.strategies import Strategy
    from ...protocol.wire.announcement import Program
    from ...protocol.wire.messages import Counts
    from ...protocol.wire.schema import Schema
    from ..populations import Population
    from ..populations.facts import ScenarioFacts
    from ..populations.samples import Samples
    from .interface import ConsideredColumns, ReleaseProgram
    from .noisy_questions import Question
    from .random_participation import Participation


# Members that release programs had before version 0.2.0. A program with one of them was written for
# an earlier version, so it is refused.
OLD_NAMES = (
    *("reports", "opens", "chooses", "listed", "by_rule", "again", "asks_again", "deepens"),
    *("among_peers", "on_paper", "held", "has_columns", "questions", "participation", "calls"),
    *("fixed_columns", "considered", "dropped", "exposed", "excluded", "findings", "proves"),
    *("verify_decision", "options"),
)
REQUIRED = ("kind", "wire", "capability", "check", "strategy", "score", "verify")


@cache
def _load_program(place: str) -> "ReleaseProgram":
    """Import a release program (`module:class`) and return an object of it.

    Raises ParameterError for a class with names of an earlier version, or without a required
    member.
    """
    program = load(place)()
    if old := [name for name in OLD_NAMES if hasattr(program, name)]:
        raise ParameterError(
            f"entry point {place!r} of an installed package: found {listed(old)}; since 0.2.0 a "
            "program has `capabilities` instead (docs/extending.md)"
        )
    if missing := [name for name in REQUIRED if not hasattr(program, name)]:
        raise ParameterError(
            f"entry point {place!r} of an installed package: {listed(missing)} missing; a program "
            "meets ReleaseProgram (docs/extending.md)"
        )
    checked: ReleaseProgram = program
    return checked


class ProgramRegistry(Mapping[str, "ReleaseProgram"]):
    """Every release program, by its kind of policy; a program is imported when it is looked up."""

    def __getitem__(self, kind: str) -> "ReleaseProgram":
        """Return the release program of a kind of policy, imported at its first use."""
        return _load_program(kinds()[kind])

    def __iter__(self) -> Iterator[str]:
        """Return the kinds of policy, built-in kinds first."""
        return iter(kinds())

    def __len__(self) -> int:
        """Return the number of kinds of policy."""
        return len(kinds())


PROGRAMS = ProgramRegistry()


def program_of(scenario: Scenario) -> "ReleaseProgram":
    """Return the release program that plays a scenario."""
    return PROGRAMS[scenario.policy.kind]


def capability(scenario: Scenario, kind: type[C]) -> C | None:
    """Return the optional part `kind` of a scenario's release program; None if it lacks it."""
    return program_of(scenario).capability(kind)


def answers_for(program: "ReleaseProgram") -> AnswerKind:
    """Return the kind of answers of a program: rows, reports with noise, or encrypted rows."""
    return next((part.answers for part in program.capabilities if part.answers), AnswerKind.ROWS)


def answers_in(scenario: Scenario) -> AnswerKind:
    """Return the kind of answers in a scenario: rows, reports with noise, or encrypted rows."""
    return answers_for(program_of(scenario))


def heard_as(questions: "Program") -> "ReleaseProgram":
    """Return the first release program with this sequence of queries.

    For callers with an announcement and no scenario, because an announcement does not state the
    kind of policy. TWO_ROUND_ONCE (all answers submitted at once) has the queries of TWO_ROUND.
    """
    from ...protocol.wire.announcement import Program

    sequence = Program.TWO_ROUND if questions is Program.TWO_ROUND_ONCE else questions
    return next(program for program in PROGRAMS.values() if program.wire == sequence)


def randomizing() -> tuple[str, ...]:
    """Return the kinds of policy under which users randomize their answers."""
    return tuple(
        kind for kind, program in PROGRAMS.items() if answers_for(program) is AnswerKind.REPORTS
    )


def wire(scenario: Scenario) -> "Program":
    """Return the sequence of queries of a scenario, as its announcement states it."""
    from ...protocol.wire.announcement import Program

    once = scenario.mix.submit == "once"
    return Program.TWO_ROUND_ONCE if once else Program(program_of(scenario).wire)


def strategy(scenario: Scenario, new_people: int | None = None) -> "Strategy":
    """Return the strategy of a scenario's curator: its queries and its decision.

    new_people: the number of people in round 2 if they are other people; None: the same people.
    """
    return program_of(scenario).strategy(scenario, new_people)


def strategy_under(scenario: Scenario, new_people: int | None, policy: Policy) -> "Strategy":
    """Return the strategy of a scenario's curator under this policy in place of the scenario's.

    new_people: the number of people in round 2 if they are other people; None: the same people.
    """
    return strategy(replace(scenario, policy=policy), new_people)


UNCHECKED_QUERIES = (
    "the curator can query all columns together, whatever the rule and curator_exposure say: "
    "counts are secret, so no other party can tell which query is due (with publish_marginals = "
    "true users check each query, and do not answer a forbidden one)"
)


def unchecked_queries(scenario: Scenario) -> tuple[str, ...]:
    """Return a warning if no other party can check the curator's queries; else ().

    The query that is due depends on counts, which are secret unless the marginals are published.
    """
    deeper = capability(scenario, DeeperQueries)
    secret = deeper is not None and not scenario.policy.publish_marginals
    return (UNCHECKED_QUERIES,) if secret else ()


def noisy_questions(scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
    """Return the questions of a scenario that are answered with noise; () without noise."""
    noise = capability(scenario, LocalNoise)
    return noise.questions(scenario, people) if noise else ()


def participation(scenario: Scenario) -> "Participation | None":
    """Return the random draw by which a person takes part; None if all people take part."""
    opening = capability(scenario, ThresholdOpening)
    return opening.participation(scenario.policy) if opening else None


def announced_schema(scenario: Scenario, schema: "Schema") -> "Schema":
    """Return the announced features: the reports if users add noise, else their own features."""
    noise = capability(scenario, LocalNoise)
    return noise.schema(scenario, schema) if noise else schema


def announced_names(scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the announced features: of reports if users add noise, else their own."""
    noise = capability(scenario, LocalNoise)
    return noise.names(scenario, names) if noise else tuple(names)


def people_source(scenario: Scenario) -> PeopleSource:
    """Return the part of a scenario's release program that draws its people."""
    return capability(scenario, PeopleSource) or COLUMNS


def facts(scenario: Scenario, base: Path) -> "tuple[ScenarioFacts, list[Problem]]":
    """Return the facts known about a scenario's people before a draw, and problems of its source.

    The facts are features, numbers of values and number of people. base: the folder of the scenario
    file.
    """
    return people_source(scenario).facts(scenario, base)


def samples(scenario: Scenario, seed: int | None) -> "Samples":
    """Draw the people of a scenario for each round. Raises DataError for data that do not fit."""
    return people_source(scenario).samples(scenario, seed)


def fixed_columns(policy: Policy, schema: "Schema") -> tuple[str, ...] | None:
    """Return the columns released at any exposure; None if the release program chooses."""
    fixed = PROGRAMS[policy.kind].capability(FixedColumns)
    return fixed.columns(policy, schema) if fixed else None


def options(
    scenario: Scenario,
    schema: "Schema",
    counts: "Sequence[Counts] | None",
    new_people: int | None = None,
) -> "tuple[ConsideredColumns, ...]":
    """Return the exposure bound of each set of columns after round 1; () without a decision.

    counts: the counts of round 1; None: it was not counted. new_people: the number of people in
    round 2 if they are other people; None: the same people.
    """
    decision = capability(scenario, ColumnDecision)
    return decision.options(scenario.policy, schema, counts, new_people) if decision else ()


def max_rounds(policy: Policy, columns: int) -> int:
    """Return the largest number of rounds that a session with this number of columns can have."""
    names = tuple(map(str, range(min(max(columns, 1), MAX_FEATURES))))
    schema = Schema(tuple(Feature(name, width=1) for name in names))
    # `keep`, the columns to release, is replaced by made-up names, because the scenario's names may
    # be wrong. The number of rounds does not depend on them.
    return len(PROGRAMS[policy.kind].rounds(replace(policy, keep=names), schema))
