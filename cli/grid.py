"""Types of the options `--set` and `--shard` of `veilmix sweep`, and a grid of settings in words.

A sweep plays a scenario at every point of a grid: at each combination of values of some keys.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from ..number_text import plural

if TYPE_CHECKING:
    from ..scenarios.schema.model import Scenario
    from ..scenarios.studies.sweeps.sweep_file import Value

    _Type = click.ParamType[object]
else:
    _Type = click.ParamType  # at run time click before 8.4 refuses ParamType[...]


class Shard(_Type):
    """Type of the option `--shard I/N`: part number I, from 1, of a sweep in N parts."""

    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return (I, N), parsed from the text I/N; click.BadParameter unless 1 <= I <= N."""
        part, slash, parts = str(value).partition("/")
        if slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts):
            return int(part), int(parts)
        raise click.BadParameter(
            f"found {value!r}; I/N with I from 1 to N is accepted, such as 2/5", ctx, param
        )


class GridSetting(_Type):
    """Type of the option `--set PATH=V1,V2`: a key of the scenario with its values, an axis."""

    name = "PATH=V1,V2"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "tuple[str, tuple[Value, ...]]":
        """Return the key and its values, parsed as in a scenario file; a word needs no quotes."""
        key, equals, texts = str(value).partition("=")
        if not (equals and key.strip() and texts.strip()):
            raise click.BadParameter(
                f"found {value!r}; PATH=V1,V2 is accepted, such as policy.k=2,5", ctx, param
            )
        return key.strip().strip('"'), tuple(values(texts))


def values(text: str) -> "Iterator[Value]":
    """Yield the values that a text lists, such as 2,5,10: as TOML if the whole text is valid TOML.

    Otherwise each part between commas is read as TOML; a part that is no TOML is a word without
    quotes.
    """
    try:
        listed = tomllib.loads(f"v = [{text}]")["v"]
    except (ValueError, RecursionError):  # invalid TOML, or nested too deeply
        listed = [value for word in text.split(",") for value in _word(word.strip())]
    yield from listed


def _word(word: str) -> "Iterable[Value]":
    """Return the values of one part between commas: its TOML values, else the part as a text."""
    try:
        listed: list[Value] = tomllib.loads(f"v = [{word}]")["v"]
    except (ValueError, RecursionError):  # invalid TOML, or nested too deeply
        return (word,)
    return listed


def spelt(along: "Mapping[str, Sequence[Value]]") -> str:
    """Return a grid in words: its keys, each with its number of values, as "policy.k (3)".

    along: the axes of the grid, key -> values.
    """
    return " x ".join(f"{key} ({len(values)})" for key, values in along.items()) or "one point"


def repeats(scenario: "Scenario", along: "Mapping[str, Sequence[Value]]") -> int:
    """Return the number of runs at each point of a grid of settings.

    This is the scenario's `repeat`; but 1 if the seed is an axis of the grid, as then its values
    repeat the run. along: the axes of the grid, key -> values.
    """
    from ..scenarios.studies.sweeps.sweep_plan import SEED

    return 1 if SEED in along else scenario.scenario.repeat


def planned(scenario: "Scenario") -> str:
    """Return the scenario's table [sweep] in words: axes and number of runs; "" without it.

    Raises an error if the scenario is invalid at a point of the grid.
    """
    if not scenario.sweep:
        return ""
    from ..scenarios.studies.sweeps.sweep_plan import axes, plan

    along = axes(scenario, {})
    times = repeats(scenario, along)
    jobs = plan(scenario, along, times)
    return f"{spelt(along)}, {plural(times, 'run')} a point: {plural(len(jobs), 'run')}"
