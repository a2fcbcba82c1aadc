"""The reader of scenario files: a file that loads without an error can be run.

For a faulty file all mistakes are reported in one ScenarioError, a line each: `file:line: path:
found value; accepted values`. Files are TOML, UTF-8, at most a megabyte. A file may extend another
file (extension.py); it is then checked together with the tables of that file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ....errors import ScenarioError
from ...programs.registry import people_source
from ...schema import shape
from ...schema.keys import keys, place, value_at
from ...schema.model import Scenario
from ...schema.problems import Problem, did_you_mean
from .check import examine
from .extension import ScenarioFile, anchored, combined, messages, with_bases
from .gallery import names


def load(path_or_name: str | os.PathLike[str]) -> Scenario:
    """Return a scenario from a file, or a shipped scenario by its name. Raises ScenarioError.

    The people are validated too. In the file, the path of the people's table is relative to the
    file's folder; in the result it is absolute.
    """
    path = Path(path_or_name)
    name = os.fspath(path_or_name)
    if name in names() and not path.is_file():
        return _resolved(ScenarioFile.from_gallery(name))
    return _resolved(ScenarioFile.from_path(path, name))


def loaded(scenario: Scenario | str | os.PathLike[str]) -> Scenario:
    """Return a scenario unchanged, or read it: from a file, or a shipped scenario by its name."""
    return scenario if isinstance(scenario, Scenario) else load(scenario)


def loads(text: str, file: str = "scenario", base: str | os.PathLike[str] = Path()) -> Scenario:
    """Return a scenario from the text of a file. Raises ScenarioError.

    file: the file's name in messages. base: the folder that relative paths start from.
    """
    return _resolved(ScenarioFile.from_text(text, file, Path(base)))


def from_tables(data: dict[str, Any]) -> Scenario:
    """Return a scenario from nested dicts, as a TOML file would give them. Raises ScenarioError."""
    return _resolved(ScenarioFile.from_tables(data))


def check(scenario: Scenario, base: Path = Path()) -> None:
    """Raise ScenarioError with every mistake of a scenario that was not read from a file.

    base: the folder that relative paths start from.
    """
    _, problems = _judged(plain(scenario), base)
    if problems:
        raise ScenarioError([p.line() for p in problems])


def change(scenario: Scenario, changes: Mapping[str, object]) -> Scenario:
    """Return a scenario with some keys changed: `{"policy.k": 10, "policy.keep": "age+sex"}`.

    Keys that hold one plain value can be changed, also of an entry of a list (`fault[0].share`),
    and sets of columns (`policy.keep`, `policy.required`, `policy.forbidden`). Raises ScenarioError
    if there is no such key, or the changed scenario cannot be run.
    """
    data = plain(scenario)
    for key, value in changes.items():
        where = place(key)
        if where is None or key not in keys(scenario):
            hint = did_you_mean(key, keys(scenario))
            raise ScenarioError([f"{key}: there is no such key to change{hint}"])
        holder: Any = data
        for part in where[:-1]:
            holder = holder[part]
        holder[where[-1]] = value_at(key, value)
    changed, problems = _judged(data, Path())
    if problems:
        raise ScenarioError([p.line() for p in problems])
    return changed


def resolve(
    scenario: Scenario, users: int, features: tuple[str, ...], round2_users: int | None = None
) -> Scenario:
    """Return a scenario with the facts from its data filled in: number of people, and features.

    A run folder stores this scenario, because it does not depend on the defaults of later versions.

    users: the number of people in round 1. features: the names of the columns. round2_users: the
    number of other people in round 2; None if round 2 asks the same people.
    """
    population = replace(scenario.population, users=users, round2_users=round2_users)
    defence = replace(scenario.defence, registered=scenario.registered)
    queried_features = people_source(scenario).features(scenario, features)
    return replace(scenario, population=population, feature=queried_features, defence=defence)


def _resolved(file: ScenarioFile) -> Scenario:
    """Return the scenario of a file and of the files it extends. Raises ScenarioError."""
    if file.name and not file.tables and file.extends is None:
        message = "the file is empty; [scenario] and [population] are needed"
        raise ScenarioError([f"{file.name}:1: {message}"])
    files = with_bases(file)
    tables = combined(files)
    scenario, problems = _judged(tables, file.folder)
    if problems:
        raise ScenarioError(messages(files, problems))
    return shape.examine(anchored(tables, file.folder))[0] if file.name else scenario


def _judged(data: object, base: Path) -> tuple[Scenario, list[Problem]]:
    """Return the scenario in nested dicts, and all mistakes in its form and meaning.

    base: the folder that relative paths start from.
    """
    scenario, problems = shape.examine(data)
    problems += examine(scenario, base, [p.touches for p in problems])
    return scenario, problems


def plain(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as nested dicts, in the form of its file, without keys that are None."""
    data: dict[str, Any] = _without_none(msgspec.to_builtins(scenario))
    return data


def _without_none(data: Any) -> Any:
    """Return nested data without keys that are None."""
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    return [_without_none(item) for item in data] if isinstance(data, list | tuple) else data
