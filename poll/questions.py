"""The file of questions: what a class is asked, and what it is promised.

    title = "canteen"

    [[feature]]         a question, and all answers that can be given
    name = "What do you eat?"
    values = ["meat", "fish", "plants"]

    [policy]            as in a scenario
    [local]             as in a scenario: mechanism = "grr", epsilon; for kind = "histogram"
    [mix]               as in a scenario: shufflers, deadline, min_batch
    [defence]           as in a scenario: min_dropout

Every other key of these tables that a page in a browser could not keep to is refused.
"""

import re
from math import prod
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from ..errors import ParameterError, ScenarioError
from ..protocol.announcement import Program
from ..protocol.schema import Feature as Column
from ..protocol.schema import Schema
from ..scenarios.populations import Population as People
from ..scenarios.programs.randomized.questions import Question
from ..scenarios.programs.registry import noisy_questions, program_of, wire
from ..scenarios.programs.threshold.check import problems
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.kinds import KIND
from ..scenarios.schema.model import (
    PHONES,
    About,
    Defence,
    Feature,
    Local,
    Mix,
    Policy,
    Population,
    Scenario,
)
from ..scenarios.serialization.bounded_file import read_bounded
from ..strict_text import Unreadable, from_toml

DEMO = Path(__file__).with_name("demo.toml")
LARGEST = 1 << 20  # bytes
LONGEST_NAME = 40  # letters, of a folder
MOST_ANSWERS = 50  # of a question: a phone shows them all
FREE = {
    "mix": ("shufflers", "deadline", "min_batch"),
    "local": ("mechanism", "epsilon"),
    "defence": ("min_dropout",),
}
PROGRAMS = (
    *(Program.TWO_ROUND, Program.HIERARCHICAL, Program.LOCAL_SUPPRESSION),
    *(Program.RANDOMIZED, Program.THRESHOLD),
)
MECHANISM = "grr"  # its reports are answers, which are announced; of others a page has no values
LEAST, MOST = 0.01, 20.0  # nats for one question: less is all noise, more is the answer itself
MOST_ROWS = 10_000  # that are tried at the end, where a run folder is written (record.py)
WHY = {"incidence": "its sets are of owners, who are no people"}


class QuestionsTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file.

    Attributes:
        title: what the session is called.
        feature: the questions.
        policy: what is promised.
        local: the noise that phones add, where shares are estimated.
        mix: how messages travel.
        defence: the guards.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    feature: Annotated[tuple[Feature, ...], Meta(min_length=1, max_length=20)]
    policy: Policy = Policy()
    local: Local = Local()
    mix: Mix = Mix()
    defence: Defence = Defence()


def read_questions(path: Path) -> Scenario:
    """Read a file of questions: the scenario that it would be, whose people nobody has.

    Raises:
        ScenarioError: what is wrong with it.
        StorageError: it cannot be read.
    """
    data = read_bounded(path, LARGEST, "file of questions")
    try:
        table = from_toml(data, QuestionsTable)
    except Unreadable as bad:
        raise ScenarioError([f"{path}:{bad.line}: {bad.why}"]) from None
    try:
        return scenario_of(table)
    except ParameterError as wrong:
        raise ScenarioError([f"{path}: {wrong}"]) from None


def table_of(scenario: Scenario) -> QuestionsTable:
    """The file of questions that a scenario was made of."""
    return QuestionsTable(
        title=scenario.scenario.title,
        feature=scenario.feature,
        policy=scenario.policy,
        local=scenario.local,
        mix=scenario.mix,
        defence=scenario.defence,
    )


def scenario_of(table: QuestionsTable) -> Scenario:
    """The scenario of a file of questions; ParameterError if no class can be asked so."""
    for name, section in (("mix", table.mix), ("local", table.local), ("defence", table.defence)):
        _check_free(name, section)
    for feature in table.feature:
        _check_question(feature)
    scenario = Scenario(
        scenario=About(name=_file_name(table.title), title=table.title),
        population=Population(source=PHONES),
        feature=table.feature,
        mix=table.mix,
        policy=table.policy,
        local=table.local,
        defence=table.defence,
    )
    _check_program(scenario)
    schema_of(scenario)
    return scenario


def _file_name(title: str) -> str:
    """A title as the name of a folder."""
    words = re.findall(r"[a-z0-9]+", title.casefold())
    return "-".join(words)[:LONGEST_NAME].strip("-") or "poll"


def _check_program(scenario: Scenario) -> None:
    """ParameterError for a kind, or noise, that a page in a browser has no answers for."""
    kind, local = scenario.policy.kind, scenario.local
    noisy = program_of(scenario).reports
    played = wire(scenario) in PROGRAMS and (not noisy or kind == KIND)
    if topology_of(scenario).untold or not played:
        why = WHY.get(wire(scenario), WHY.get(kind, "a page in a browser has no way to answer so"))
        raise ParameterError(
            f"policy.kind: found {kind!r}: {why}; exposure, fixed, all, hierarchical, "
            f"local-suppression, threshold and {KIND} are accepted"
        )
    if not noisy and local != Local():
        raise ParameterError(
            f"local: found mechanism = {local.mechanism!r}; phones add noise where "
            f'policy.kind = "{KIND}", and nowhere else'
        )
    if noisy and local.mechanism != MECHANISM:
        raise ParameterError(
            f"local.mechanism: found {local.mechanism!r}; {MECHANISM} is accepted: it reports one "
            "of the announced answers. Of others the announcement holds the form of a report and "
            "no answers, so that a phone could not tell what it is asked"
        )
    if noisy:
        _check_epsilon(local.epsilon, len(scenario.feature))
    if program_of(scenario).opens:
        _check_opening(scenario)


def _check_opening(scenario: Scenario) -> None:
    """ParameterError for what a page cannot seal so that k people open it, or nobody could try."""
    policy, rows = scenario.policy, prod(len(feature.values or ()) for feature in scenario.feature)
    if policy.sample is not None:
        raise ParameterError(
            "policy.sample: found a rate; all take part here: in a class nobody could check that "
            "a phone which says nothing was to say nothing"
        )
    for problem in problems(scenario):
        raise ParameterError(f"policy: {problem.message}")
    if not policy.prefixes and rows > MOST_ROWS:
        raise ParameterError(
            f"feature: found {rows:,} rows of answers; up to {MOST_ROWS:,} are accepted, for this "
            "computer tries all of them at the end to write down who said what; ask less, or say "
            "prefixes = true in [policy]"
        )


def _check_epsilon(epsilon: float | None, many: int) -> None:
    least, most = LEAST * many, MOST * many
    if epsilon is None or not least <= epsilon <= most:
        given = "none" if epsilon is None else f"{epsilon:g} nats"
        raise ParameterError(
            f"local.epsilon: found {given}; from {least:g} to {most:g} nats are accepted for the "
            f"whole answer, which is divided over {many} questions"
        )


def _check_free(name: str, section: Struct) -> None:
    """ParameterError for keys that are not a class's to choose."""
    plain = asdict(type(section)())
    others = [
        key
        for key, value in asdict(section).items()
        if value != plain[key] and key not in FREE[name]
    ]
    if others:
        accepted = ", ".join(FREE[name])
        raise ParameterError(f"{name}: found {', '.join(others)}; {accepted} can be chosen")


def _check_question(feature: Feature) -> None:
    plain = asdict(Feature(name=feature.name, values=feature.values))
    others = [key for key, value in asdict(feature).items() if value != plain[key]]
    if others:
        raise ParameterError(f"feature {feature.name}: found {', '.join(others)}; name and values")
    if not feature.values or not 2 <= len(feature.values) <= MOST_ANSWERS:
        many = len(feature.values or ())
        raise ParameterError(
            f"feature {feature.name}: values: found {many}; all answers are needed, from 2 to "
            f"{MOST_ANSWERS} of them"
        )


def nobody(scenario: Scenario) -> People:
    """The questions, and no people."""
    import numpy as np

    schema = schema_of(scenario)
    values = tuple(feature.values or () for feature in schema.features)
    return People(PHONES, schema, np.zeros((0, len(values)), dtype=np.int32), values, "", ())


def promise_of(scenario: Scenario) -> str:
    """What whoever answers is promised, in words."""
    policy, program = scenario.policy, program_of(scenario)
    if program.reports or program.opens:
        return program.promise(scenario)
    return (
        f"at most {policy.max_exposure:.4g} of them in a crowd smaller than {policy.k} in what is "
        "published"
    )


def noise_of(scenario: Scenario) -> tuple[Question, ...]:
    """The questions, with the noise that phones add to each; () where they add none."""
    return noisy_questions(scenario, nobody(scenario))


def schema_of(scenario: Scenario) -> Schema:
    """The questions as they are announced; ParameterError for answers that cannot be.

    Where phones add noise they are the same: a report is one of the answers.
    """
    return Schema(tuple(Column(feature.name, feature.values) for feature in scenario.feature))
