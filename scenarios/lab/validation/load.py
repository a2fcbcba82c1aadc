"""Reading scenario files: a file that loads can be run; of any other all mistakes are reported.

A mistake is one line, `file:line: path: found value; accepted values`; all mistakes of a file
are in one ScenarioError. Files are TOML, UTF-8, at most a megabyte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ....errors import ScenarioError
from ....strict_text import Unreadable, decoded, from_toml
from ...populations.values import composed
from ...programs.registry import people_source
from ...schema import shape
from ...schema.keys import keys, place, value_at
from ...schema.lines import Locator
from ...schema.model import Scenario
from ...schema.problems import Problem, did_you_mean
from .check import examine
from .gallery import attacks, shipped, source, unknown_name

MAX_BYTES = 1 << 20
PATHS = ("source", "hierarchy")  # keys of names of files, which are bytes to the system


def load(path_or_name: str | os.PathLike[str]) -> Scenario:
    """Read a scenario: a file, or a shipped scenario by its name. Raises ScenarioError.

    The population is validated too. Its path, which in the file starts from the file's folder, is
    absolute in the result.
    """
    path = Path(path_or_name)
    name = os.fspath(path_or_name)
    if name in (*shipped(), *attacks()) and not path.is_file():
        return loads(source(name), f"{name}.toml")
    return loads(_text(path), name, path.parent)


def loaded(scenario: Scenario | str | os.PathLike[str]) -> Scenario:
    """Return a scenario as it is, or read it: a file, or a shipped scenario."""
    return scenario if isinstance(scenario, Scenario) else load(scenario)


def loads(text: str, file: str = "scenario", base: str | os.PathLike[str] = Path()) -> Scenario:
    """Read a scenario from the text of a file. file: its name in messages. Raises ScenarioError.

    base: the folder that the path of its population starts from.
    """
    data = _parsed(text, file)
    if not data:
        raise ScenarioError(
            [f"{file}:1: the file is empty; [scenario] and [population] are needed"]
        )
    scenario, problems = _judged(data, Path(base))
    if problems:
        lines = Locator(text)
        numbered = [(lines.line(p.path), p) for p in problems]
        raise ScenarioError(
            [p.line(file, n) for n, p in sorted(numbered, key=lambda pair: pair[0])]
        )
    return _anchored(scenario, Path(base))


def from_tables(data: dict[str, Any]) -> Scenario:
    """Return a scenario from the nested tables of its file. ScenarioError lists every mistake."""
    scenario, problems = _judged(data, Path())
    if problems:
        raise ScenarioError([p.line() for p in problems])
    return scenario


def check(scenario: Scenario, base: Path = Path()) -> None:
    """Validate a scenario that was not read from a file. ScenarioError lists every mistake."""
    _, problems = _judged(plain(scenario), base)
    if problems:
        raise ScenarioError([p.line() for p in problems])


def change(scenario: Scenario, changes: Mapping[str, object]) -> Scenario:
    """Return a scenario with some keys changed: `{"policy.k": 10, "policy.keep": "age+sex"}`.

    Keys that hold one plain value can be changed, also of an entry of a list (`fault[0].share`),
    and sets of columns (`policy.keep`, `policy.required`, `policy.forbidden`).

    Raises ScenarioError if there is no such key, or the changed scenario cannot be run.
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
    """Write the facts from the data into a scenario: number of people, and features.

    round2_users: the number of new people in round 2; None if it asks the people of round 1. A run
    folder keeps the result: it loads, and keeps its meaning under the defaults of a later version.
    """
    population = replace(scenario.population, users=users, round2_users=round2_users)
    defence = replace(scenario.defence, registered=scenario.registered)
    queried_features = people_source(scenario).features(scenario, features)
    return replace(scenario, population=population, feature=queried_features, defence=defence)


def _judged(data: object, base: Path) -> tuple[Scenario, list[Problem]]:
    scenario, problems = shape.examine(data)
    problems += examine(scenario, base, [p.touches for p in problems])
    return scenario, problems


def plain(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as the nested tables of its file, without keys that are None."""
    data: dict[str, Any] = _without_none(msgspec.to_builtins(scenario))
    return data


def _without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    return [_without_none(item) for item in data] if isinstance(data, list | tuple) else data


def _anchored(scenario: Scenario, base: Path) -> Scenario:
    section = scenario.population
    features = tuple(
        feature
        if feature.hierarchy is None
        else replace(feature, hierarchy=_absolute(base, feature.hierarchy))
        for feature in scenario.feature
    )
    if not section.builtin:
        section = replace(section, source=_absolute(base, section.source))
    return replace(scenario, population=section, feature=features)


def _absolute(base: Path, path: str) -> str:
    return str((base / Path(path).expanduser()).absolute())


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        data = from_toml(text)
    except Unreadable as bad:
        raise ScenarioError([f"{file}:{bad.line}: {bad.why}"]) from None
    return data if text.isascii() else dict(_composed(data))


def _composed(data: Any) -> Any:
    """Return data with composed letters, as the cells of a table have them; paths as they are."""
    if isinstance(data, str):
        return composed(data)
    if isinstance(data, list):
        return [_composed(item) for item in data]
    if isinstance(data, dict):
        return {
            composed(key): item if key in PATHS else _composed(item) for key, item in data.items()
        }
    return data


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError([unknown_name(str(path))]) from None
    except IsADirectoryError:
        message = f"{path}: is a folder; a scenario file or a shipped name is needed"
        raise ScenarioError([message]) from None
    except (OSError, ValueError) as bad:
        raise ScenarioError([f"{path}: cannot be read: {bad}"]) from None
    if len(data) > MAX_BYTES:
        raise ScenarioError([f"{path}: larger than the {MAX_BYTES:,} bytes a scenario may have"])
    try:
        return decoded(data, "utf-8-sig").replace("\r\n", "\n")
    except Unreadable as bad:
        raise ScenarioError([f"{path}:{bad.line}: {bad.why}"]) from None
