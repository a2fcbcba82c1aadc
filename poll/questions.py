"""The file of questions: what a class is asked, and what it is promised.

    title = "canteen"

    [[feature]]         a question, and all answers that can be given
    name = "What do you eat?"
    values = ["meat", "fish", "plants"]

    [policy]            as in a scenario
    [mix]               as in a scenario: shufflers, deadline, min_batch
    [defence]           as in a scenario: min_dropout

Every other key of these tables that a page in a browser could not keep to is refused.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from ..errors import ParameterError, ScenarioError
from ..protocol.announcement import Program
from ..protocol.schema import Feature as Column
from ..protocol.schema import Schema
from ..scenarios.populations import Population as People
from ..scenarios.populations.build import PHONES
from ..scenarios.programs.registry import program_of, wire
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.model import About, Defence, Feature, Mix, Policy, Population, Scenario
from ..scenarios.serialization.bounded_file import read_bounded

DEMO = Path(__file__).with_name("demo.toml")
LARGEST = 1 << 20  # bytes
LONGEST_NAME = 40  # letters, of a folder
MOST_ANSWERS = 50  # of a question: a phone shows them all
FREE = {"mix": ("shufflers", "deadline", "min_batch"), "defence": ("min_dropout",)}
PROGRAMS = (Program.TWO_ROUND, Program.HIERARCHICAL, Program.LOCAL_SUPPRESSION)


class QuestionsTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file.

    Attributes:
        title: what the session is called.
        feature: the questions.
        policy: what is promised.
        mix: how messages travel.
        defence: the guards.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    feature: Annotated[tuple[Feature, ...], Meta(min_length=1, max_length=20)]
    policy: Policy = Policy()
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
        table = msgspec.convert(tomllib.loads(data.decode()), QuestionsTable)
    except (ValueError, msgspec.ValidationError) as wrong:
        raise ScenarioError([f"{path}: {wrong}"]) from None
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
        mix=scenario.mix,
        defence=replace(scenario.defence, receipts=Defence().receipts),
    )


def scenario_of(table: QuestionsTable) -> Scenario:
    """The scenario of a file of questions; ParameterError if no class can be asked so."""
    for name, section in (("mix", table.mix), ("defence", table.defence)):
        _check_free(name, section)
    for feature in table.feature:
        _check_question(feature)
    scenario = Scenario(
        scenario=About(name=_file_name(table.title), title=table.title),
        population=Population(source=PHONES),
        feature=table.feature,
        mix=table.mix,
        policy=table.policy,
        defence=replace(table.defence, receipts=1.0),  # every phone looks
    )
    if topology_of(scenario).untold or wire(scenario) not in PROGRAMS or _noisy(scenario):
        raise ParameterError(
            f"policy.kind: found {scenario.policy.kind!r}: a page in a browser has no way to answer"
            " so yet; exposure, fixed, all, hierarchical and local-suppression are accepted"
        )
    schema_of(scenario)
    return scenario


def _file_name(title: str) -> str:
    """A title as the name of a folder."""
    words = re.findall(r"[a-z0-9]+", title.casefold())
    return "-".join(words)[:LONGEST_NAME].strip("-") or "poll"


def _noisy(scenario: Scenario) -> bool:
    return program_of(scenario).reports


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
        found = len(feature.values or ())
        raise ParameterError(
            f"feature {feature.name}: values: found {found}; all answers are needed, from 2 to "
            f"{MOST_ANSWERS} of them"
        )


def nobody(scenario: Scenario) -> People:
    """The questions, and no people."""
    import numpy as np

    schema = schema_of(scenario)
    values = tuple(feature.values or () for feature in schema.features)
    return People(PHONES, schema, np.zeros((0, len(values)), dtype=np.int32), values, "", ())


def schema_of(scenario: Scenario) -> Schema:
    """The questions as they are announced; ParameterError for answers that cannot be."""
    return Schema(tuple(Column(feature.name, feature.values) for feature in scenario.feature))
