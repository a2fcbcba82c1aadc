"""The file of questions: the questions for a class, and the promise to it.

    title = "canteen"
    lang = "de"         the language of phones and the wall; without it each browser chooses

    [[feature]]         a question, and all answers that can be given
    name = "What do you eat?"
    values = ["meat", "fish", "plants"]

    [policy]            as in a scenario
    [local]             as in a scenario: mechanism = "grr", epsilon; for kind = "histogram"
    [mix]               as in a scenario: shufflers, deadline, min_batch
    [defence]           as in a scenario: min_dropout

A scenario has more keys in these tables. A key is refused here if phones, which are pages in a
browser, cannot do what it asks for.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from ..errors import ParameterError, ScenarioError, StorageError
from ..languages.language import languages
from ..number_text import plural
from ..presentation.presenters.registry import presenter_of
from ..protocol.wire.announcement import Program
from ..protocol.wire.schema import Feature, Schema
from ..scenarios.lab.validation.check import names
from ..scenarios.lab.validation.verified_mix import misfits_of_once
from ..scenarios.populations import Population
from ..scenarios.populations.facts import ScenarioFacts
from ..scenarios.programs.capabilities import ColumnDecision
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.noisy_questions import Question
from ..scenarios.programs.registry import answers_in, capability, noisy_questions, wire
from ..scenarios.programs.threshold.check import problems
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.kinds import KIND
from ..scenarios.schema.lines import Locator
from ..scenarios.schema.model import (
    PHONES,
    About,
    Defence,
    FeatureSection,
    Local,
    Mix,
    Policy,
    PopulationSection,
    Scenario,
)
from ..scenarios.schema.problems import Path as Where
from ..scenarios.schema.problems import Problem, as_found, problem
from ..scenarios.schema.shape import examine_table
from ..scenarios.serialization.bounded_file import read_bounded
from ..strict_text import Unreadable, decoded, from_toml

DEMO = Path(__file__).with_name("demo.toml")
NEW = Path(__file__).with_name("new.toml")
LARGEST = 1 << 20  # largest number of bytes of a file of questions; a longer file is refused
LONGEST_NAME = 40  # longest name of a run folder that is made from the title, in letters
MOST_ANSWERS = 50  # largest number of answers of a question: a phone shows them all
FREE = {
    "mix": ("kind", "submit", "shufflers", "deadline", "min_batch"),
    "local": ("mechanism", "epsilon"),
    "defence": ("min_dropout",),
}
PROGRAMS = (
    *(Program.TWO_ROUND, Program.HIERARCHICAL, Program.LOCAL_SUPPRESSION),
    *(Program.RANDOMIZED, Program.THRESHOLD, Program.TWO_ROUND_ONCE),
)
# programs that phones can play with a verified mix, in which shufflers prove each step
PROVED = (
    Program.TWO_ROUND,
    Program.TWO_ROUND_ONCE,
)
MECHANISM = "grr"  # randomized response: a report is one of the answers, so pages can show it
# range of epsilon for a question, in nats: below it a report is nearly only noise; above it, nearly
# always the true answer
MIN_EPSILON, MAX_EPSILON = (
    0.01,
    20.0,
)
# largest number of possible rows of answers in the program `threshold`, as all of them are tried to
# open the rows for the run folder (record.py)
MOST_ROWS = 10_000
WHY = {"incidence": "it asks owners of sets, and not people"}


class QuestionsTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The contents of a file of questions, key by key.

    Attributes:
        title: the title of the session.
        lang: the tag of the questions' language (language.py); None: each browser chooses.
        feature: the questions, each with its possible answers.
        policy: the section with the privacy promise about the release.
        local: the section on the noise that phones add to answers.
        mix: the section on shufflers and deadlines.
        defence: the section on countermeasures.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    feature: Annotated[tuple[FeatureSection, ...], Meta(min_length=1, max_length=20)]
    lang: str | None = None
    policy: Policy = Policy()
    local: Local = Local()
    mix: Mix = Mix()
    defence: Defence = Defence()


def read_questions(path: Path) -> Scenario:
    """Read a file of questions, as a scenario without people.

    Raises:
        ScenarioError: the file has mistakes; the text has a line for each.
        StorageError: the file cannot be read.
    """
    return _scenario(parse_questions(read_bounded(path, LARGEST, "file of questions"), path))


def parse_questions(data: bytes, path: Path) -> QuestionsTable:
    """Return the contents of a file of questions; ScenarioError lists all mistakes, a line each.

    path: the file's path, for messages.
    """
    try:
        text = decoded(data, "utf-8-sig").replace("\r\n", "\n")
        tables = from_toml(text)
    except Unreadable as bad:
        raise ScenarioError([f"{path}:{bad.line}: {bad.why}"]) from None
    table, problems = examine_questions(tables)
    if problems:
        lines = Locator(text)
        numbered = sorted((lines.line(wrong.path), wrong.line("", 0)) for wrong in problems)
        raise ScenarioError([f"{path}:{number}: {message}" for number, message in numbered])
    return table


def examine_questions(tables: object) -> tuple[QuestionsTable, list[Problem]]:
    """Return the questions with all mistakes repaired by defaults, and the list of mistakes.

    tables: the parsed TOML.
    """
    table, problems = examine_table(tables, QuestionsTable)
    problems += [*_lang(table)]
    problems += _judged(table, {problem.touches for problem in problems})
    return table, problems


def read_lang(path: Path) -> str | None:
    """Return the tag of the language in a file of questions; None if the file names no language.

    path: a file that `read_questions` has accepted before.
    """
    lang = from_toml(read_bounded(path, LARGEST, "file of questions")).get("lang")
    return lang if isinstance(lang, str) else None


def _lang(table: QuestionsTable) -> Iterator[Problem]:
    """Yield a mistake if the language that the file names is unknown."""
    if table.lang is not None and table.lang not in languages():
        accepted = ", ".join(languages())
        yield problem(("lang",), f'found "{table.lang}"; {accepted} are accepted')


def asks_questions(path: Path) -> bool:
    """Whether a file has the keys of a file of questions, and not the keys of a scenario."""
    try:
        tables = from_toml(read_bounded(path, LARGEST, "file of questions"))
    except (Unreadable, StorageError):
        return False
    return bool({"title", "feature"} & tables.keys()) and not {"scenario", "population"} & set(
        tables
    )


def write_new(path: Path) -> None:
    """Write a new file of questions as a template, in which a comment explains each key.

    StorageError if a file with this path exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(NEW.read_text("utf-8"))
    except FileExistsError:
        raise StorageError(f"{path}: this file already exists; choose another path") from None
    except OSError as bad:
        raise StorageError(f"{path}: cannot be written ({bad.strerror or bad})") from None


def table_of(scenario: Scenario) -> QuestionsTable:
    """Return the contents of the file of questions from which a scenario was made."""
    return QuestionsTable(
        title=scenario.scenario.title,
        feature=scenario.feature,
        policy=scenario.policy,
        local=scenario.local,
        mix=scenario.mix,
        defence=scenario.defence,
    )


def scenario_of(table: QuestionsTable) -> Scenario:
    """Return the scenario of a file of questions; ParameterError if phones cannot play it."""
    if problems := _judged(table, set()):
        raise ParameterError("; ".join(wrong.line() for wrong in problems))
    return _scenario(table)


def _scenario(table: QuestionsTable) -> Scenario:
    """Return the scenario of a file of questions, without a check for mistakes."""
    return Scenario(
        scenario=About(name=_file_name(table.title), title=table.title),
        population=PopulationSection(source=PHONES),
        feature=table.feature,
        mix=table.mix,
        policy=table.policy,
        local=table.local,
        defence=table.defence,
    )


def _judged(table: QuestionsTable, mended: Collection[Where]) -> list[Problem]:
    """Return every mistake in the meaning of the questions, without those already reported.

    mended: paths of keys with a mistake that was already reported.
    """
    mix = [*_free("mix", table.mix)]
    problems = [
        *mix,
        *_free("local", table.local),
        *_free("defence", table.defence),
        *(wrong for at, feature in enumerate(table.feature) for wrong in _question(at, feature)),
        *_texts(table.feature),
        *_columns(table),
        # The kind of session follows from the mix: mix.peers makes it a session of peers. So after
        # a mistake in the mix the kind is not checked; otherwise the same mistake would be reported
        # twice.
        *(() if mix else _program(_scenario(table))),
    ]
    return [wrong for wrong in problems if not any(wrong.path[: len(at)] == at for at in mended)]


def _file_name(title: str) -> str:
    """Return the name of a run folder, made from the title of a session."""
    words = re.findall(r"[a-z0-9]+", title.casefold())
    return "-".join(words)[:LONGEST_NAME].strip("-") or "poll"


def _program(scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake if a page in a browser cannot play this kind of session, or its noise."""
    kind, local = scenario.policy.kind, scenario.local
    if problems := [*_kind(scenario)]:
        yield from problems
        return
    answers = answers_in(scenario)
    if answers is not AnswerKind.REPORTS and local != Local():
        yield problem(
            ("local",),
            f'found mechanism = "{local.mechanism}"; phones add noise only with policy.kind = '
            f'"{KIND}" (here it is "{kind}")',
        )
    if answers is AnswerKind.REPORTS and local.mechanism != MECHANISM:
        yield problem(
            ("local", "mechanism"),
            f'found "{local.mechanism}"; "{MECHANISM}" is accepted: its reports are '
            "announced answers. For other mechanisms the announcement has no answers, so that a "
            "phone could not show the question",
        )
    elif answers is AnswerKind.REPORTS:
        yield from _epsilon(local.epsilon, len(scenario.feature))
    if answers is AnswerKind.OPENED:
        yield from _opening(scenario)


def _kind(scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake if phones cannot play this release program, or not with a verified mix."""
    kind = scenario.policy.kind
    if wrong := [*misfits_of_once(scenario)]:
        yield from wrong
        return
    if scenario.mix.kind == "verified" and wire(scenario) not in PROVED:
        yield problem(
            ("mix", "kind"),
            f'found "verified" with policy.kind = "{kind}"; on phones it is played with exposure, '
            "fixed and all",
        )
        return
    is_reported = answers_in(scenario) is AnswerKind.REPORTS
    played = wire(scenario) in PROGRAMS and (not is_reported or kind == KIND)
    if topology_of(scenario).untold or not played:
        why = WHY.get(wire(scenario), WHY.get(kind, "phones cannot answer in this program"))
        yield problem(
            ("policy", "kind"),
            f'found "{kind}": {why}; exposure, fixed, all, hierarchical, local-suppression, '
            f"threshold and {KIND} are accepted",
        )


def _opening(scenario: Scenario) -> Iterator[Problem]:
    """Yield mistakes of a session of `threshold`, where a row opens only if k people share it.

    Refused are random sampling of people, settings that exclude the program, and too many possible
    rows of answers. At the end this computer tries all possible rows, to write down each person's
    answers.
    """
    policy, rows = scenario.policy, prod(len(feature.values or ()) for feature in scenario.feature)
    if policy.sample is not None:
        yield problem(
            ("policy", "sample"),
            "found a rate; leave it out: in a class all people take part, since no party could "
            "check which phones were drawn to send no answer",
        )
        return
    yield from problems(scenario)
    if not policy.prefixes and rows > MOST_ROWS:
        yield problem(
            ("feature",),
            f"found {rows:,} rows of answers; up to {MOST_ROWS:,} are accepted, because this "
            "computer tries all of them at the end to record each person's answers; ask fewer "
            "questions, or set prefixes = true in [policy]",
        )


def _epsilon(epsilon: float | None, question_count: int) -> Iterator[Problem]:
    """Yield a mistake unless epsilon, divided evenly over the questions, is in the accepted range.

    epsilon: privacy parameter of a person's whole answer, in nats.
    """
    min_epsilon, max_epsilon = MIN_EPSILON * question_count, MAX_EPSILON * question_count
    if epsilon is None or not min_epsilon <= epsilon <= max_epsilon:
        value_text = "none" if epsilon is None else f"{epsilon:g} nats"
        yield problem(
            ("local", "epsilon"),
            f"found {value_text}; from {min_epsilon:g} to {max_epsilon:g} nats are accepted for "
            "the whole answer, "
            f"which is divided over {plural(question_count, 'question')}",
        )


def _free(name: str, section: Struct) -> Iterator[Problem]:
    """Yield a mistake for each key of a section that the file of questions may not set.

    name: the section, such as `mix`.
    """
    plain = asdict(type(section)())
    accepted = ", ".join(FREE[name])
    for key, value in asdict(section).items():
        if value != plain[key] and key not in FREE[name]:
            yield problem((name, key), f"found {as_found(value)}; a class can choose {accepted}")


def _question(at: int, feature: FeatureSection) -> Iterator[Problem]:
    """Yield mistakes of a question: keys other than name and values, or too few or many answers.

    at: the index of the question in the file, for messages.
    """
    plain = asdict(FeatureSection(name=feature.name, values=feature.values))
    for key, value in asdict(feature).items():
        if value != plain[key]:
            yield problem(
                ("feature", at, key), f"found {as_found(value)}; a question has name and values"
            )
    answer_count = len(feature.values or ())
    if not 2 <= answer_count <= MOST_ANSWERS:
        yield problem(
            ("feature", at, "values"),
            f'found {plural(answer_count, "answer")} to "{feature.name}"; all answers are '
            f"needed, from 2 to {MOST_ANSWERS} of them",
        )


def _texts(features: Sequence[FeatureSection]) -> Iterator[Problem]:
    """Yield a mistake for each question that cannot be announced, or with a repeated name."""
    for at, feature in enumerate(features):
        try:
            Schema((Feature(feature.name, feature.values or ("a", "b")),))
        except ParameterError as wrong:
            yield problem(("feature", at), str(wrong))
        if feature.name in [earlier_feature.name for earlier_feature in features[:at]]:
            yield problem(
                ("feature", at, "name"),
                f'found "{feature.name}" twice; each question needs a name of its own',
            )


def _columns(table: QuestionsTable) -> Iterator[Problem]:
    """Yield a mistake for each key of the policy that names an unknown question."""
    features = tuple(feature.name for feature in table.feature)
    yield from names(_scenario(table), ScenarioFacts(None, features))


def empty_population(scenario: Scenario) -> Population:
    """Return the schema of the questions as a population without people."""
    import numpy as np

    schema = schema_of(scenario)
    values = tuple(feature.values or () for feature in schema.features)
    return Population(PHONES, schema, np.zeros((0, len(values)), dtype=np.int32), values, "", ())


def promise_of(scenario: Scenario) -> str:
    """Return the privacy promise to participants, in words.

    If the release program decides on columns, the promise is that at most the share `max_exposure`
    of the participants is in a class smaller than k in the release. For any further release program
    the promise is a text of the program's presenter, which describes results of the program.
    """
    policy = scenario.policy
    if capability(scenario, ColumnDecision) is None:
        return presenter_of(scenario).promise(scenario)
    return (
        f"at most {policy.max_exposure:.4g} of them in a crowd smaller than {policy.k} in what is "
        "published"
    )


def noise_of(scenario: Scenario) -> tuple[Question, ...]:
    """Return the questions, each with its randomizer; () if phones add no noise."""
    return noisy_questions(scenario, empty_population(scenario))


def schema_of(scenario: Scenario) -> Schema:
    """Return the announced schema: the questions and all their answers.

    ParameterError for invalid answers. With noise the schema stays unchanged: a noisy report is one
    of the answers.
    """
    return Schema(tuple(Feature(feature.name, feature.values) for feature in scenario.feature))
