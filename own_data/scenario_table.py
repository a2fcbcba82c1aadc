"""The table of a scenario, read and made coarser as the scenario describes.

`veilmix score SCENARIO.toml` scores the people of a scenario without a run.
`[population]` names the file and describes how it is read, `[[feature]]` gives the
columns and their coarser values, and `[policy]` the target.
"""

from dataclasses import dataclass, fields
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..errors import DataError
from ..scenarios.populations.build import source_of
from ..scenarios.schema.dump import value
from ..scenarios.schema.model import PopulationSection, Scenario
from .read_table import ROLES, Reading, split

ENDING = ".toml"
KEYS = {"missing_text": "missing_texts"}  # by option, the key in a scenario, if the names differ


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table that is to be scored, before it is read.

    Attributes:
        path: path of its file; `builtin:NAME` for a shipped table.
        reading: the columns, their roles and coarser values, under the names of the file.
        missing: the value of an empty cell.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        of_scenario: whether a scenario describes the table and the target.
    """

    path: Path
    reading: Reading
    missing: str
    k: int
    max_exposure: float
    of_scenario: bool = False


def scenario_table(
    scenario: Scenario, file: Path, option_reading: Reading, explicit_target: dict[str, float]
) -> TableSource:
    """Return the table that a scenario describes, not yet read, with its columns and its target.

    DataError if an option of the command line contradicts the scenario.

    Args:
        scenario: as loaded from `file`.
        file: its name in messages.
        option_reading: the options of the command line that describe the table.
        explicit_target: `k` and `max_exposure`, if a user gave these options.
    """
    section, policy = scenario.population, scenario.policy
    for key, number in explicit_target.items():
        if number != getattr(policy, key):
            raise _contradiction(key, number, file, f"policy.{key}", getattr(policy, key))
    _check_whole(section, file)
    reading = replaced(
        _reading(scenario, file, option_reading), **_roles(section, file, option_reading)
    )
    return TableSource(
        Path(section.source),
        reading,
        section.missing,
        policy.k,
        policy.max_exposure,
        of_scenario=True,
    )


def _check_whole(section: PopulationSection, file: Path) -> None:
    """Raise DataError for a scenario of generated people, or of a sample of its table's people."""
    if section.builtin and source_of(section) is None:
        raise DataError(
            f"{file}: the people of {section.source} are generated; a scenario whose people come "
            "from a table is accepted"
        )
    if section.users is not None or section.setting != "fixed":
        key = "users" if section.users is not None else "setting"
        raise DataError(
            f"{file}: population.{key} = {value(getattr(section, key))} draws some people of the "
            "table for a run; a score is of all people: leave it out"
        )


def _reading(scenario: Scenario, file: Path, option_reading: Reading) -> Reading:
    """Return the description of the table's columns and file form in a scenario.

    option_reading: the options of the command line; DataError if they contradict the
    scenario.
    """
    section, default = scenario.population, Reading()
    names = {feature.name: _source_name(section, feature.name) for feature in scenario.feature}
    scenario_options: dict[str, Any] = {
        field.name: _as_option(getattr(section, KEYS.get(field.name, field.name)))
        for field in fields(Reading)
        if field.name not in (*ROLES, "columns", "coarsen")
        and hasattr(section, KEYS.get(field.name, field.name))
    }
    for name, scenario_value in scenario_options.items():
        option = getattr(option_reading, name)
        if option not in (getattr(default, name), scenario_value):
            key = KEYS.get(name, name)
            raise _contradiction(name, option, file, f"population.{key}", scenario_value)
    columns = (tuple(names.values()) or tuple(section.columns.values())) or None
    if option_reading.columns is not None and split(option_reading.columns) != list(columns or ()):
        raise _contradiction("columns", option_reading.columns, file, "[[feature]]", columns)
    if option_reading.coarsen:
        raise _contradiction("coarsen", option_reading.coarsen[0], file, "[[feature]]", columns)
    features = tuple(replace(feature, name=names[feature.name]) for feature in scenario.feature)
    return replaced(option_reading, **scenario_options, columns=columns, coarsen=features)


def _as_option(setting: Any) -> Any:
    """Return a setting of a scenario's `[population]` in the form of the command's option."""
    if isinstance(setting, dict):
        return tuple(f"{name}={sign}" for name, sign in setting.items())
    return setting


def _source_name(section: PopulationSection, name: str) -> str:
    """Return the name of a scenario's column in the file; a scenario may rename columns."""
    return section.columns.get(name, name)


def _roles(section: PopulationSection, file: Path, option_reading: Reading) -> dict[str, Any]:
    """Return the columns of each role, from scenario and options. DataError for contradictions."""
    scenario_roles = {
        _source_name(section, name): str(role) for name, role in section.roles.items()
    }
    roles = dict(scenario_roles)
    for name, role in option_reading.roles().items():
        if scenario_roles.get(name, role) != role:
            raise _contradiction(role, name, file, f"population.roles.{name}", scenario_roles[name])
        roles[name] = role
    return {
        role: tuple(name for name, its_role in roles.items() if its_role == role) or None
        for role in ROLES
    }


def _contradiction(
    option: str, option_value: object, file: Path, key: str, scenario_value: object
) -> DataError:
    """Return the error for an option of the command line that contradicts a scenario's key.

    option, key: the names of both. option_value, scenario_value: their values.
    """
    scenario_text = (
        f"{key} is not set"
        if scenario_value in (None, (), "")
        else f"{key} is {value(scenario_value)}"
    )
    name = f"--{'no-' if option_value is False else ''}{option.replace('_', '-')}"
    text = " ".join(option_value) if isinstance(option_value, tuple) else str(option_value)
    option_text = name if isinstance(option_value, bool) else f"{name} {text}"
    return DataError(
        f"{option_text}: the scenario decides, and in {file} {scenario_text}; change it there, or "
        "leave "
        f"{name} out"
    )
