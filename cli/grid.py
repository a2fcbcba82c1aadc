"""Arguments of `veilmix sweep` on the command line: axes of a grid, and parts of it."""

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
    _Type = click.ParamType  # click before 8.4 refuses a subscript at run time


class Shard(_Type):
    """`i/n`: the i-th of n parts, from 1."""

    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Parse a shard."""
        part, slash, parts = str(value).partition("/")
        if slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts):
            return int(part), int(parts)
        raise click.BadParameter(
            f"found {value!r}; I/N with I from 1 to N is accepted, such as 2/5", ctx, param
        )


class GridSetting(_Type):
    """`PATH=V1,V2`: a key of the scenario and the values that it takes."""

    name = "PATH=V1,V2"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "tuple[str, tuple[Value, ...]]":
        """Parse a setting: values as in a scenario file; a word needs no quotes."""
        key, equals, texts = str(value).partition("=")
        if not (equals and key.strip() and texts.strip()):
            raise click.BadParameter(
                f"found {value!r}; PATH=V1,V2 is accepted, such as policy.k=2,5", ctx, param
            )
        return key.strip().strip('"'), tuple(values(texts))


def values(text: str) -> "Iterator[Value]":
    """Yield the values of a text: TOML values if it is valid TOML, else words between commas."""
    try:
        listed = tomllib.loads(f"v = [{text}]")["v"]
    except (ValueError, RecursionError):  # no TOML, or more than can be read
        listed = [value for word in text.split(",") for value in _word(word.strip())]
    yield from listed


def _word(word: str) -> "Iterable[Value]":
    try:
        listed: list[Value] = tomllib.loads(f"v = [{word}]")["v"]
    except (ValueError, RecursionError):  # no TOML, or more than can be read
        return (word,)
    return listed


def spelt(along: "Mapping[str, Sequence[Value]]") -> str:
    """Return the axes of a grid as text, each with its number of values."""
    return " x ".join(f"{key} ({len(values)})" for key, values in along.items()) or "one point"


def repeats(scenario: "Scenario", along: "Mapping[str, Sequence[Value]]") -> int:
    """Return the number of runs of each point; swept seeds are repetitions themselves."""
    from ..scenarios.studies.sweeps.sweep_plan import SEED

    return 1 if SEED in along else scenario.scenario.repeat


def planned(scenario: "Scenario") -> str:
    """Return the plan of the scenario's [sweep] in words, every point checked; "" without it."""
    if not scenario.sweep:
        return ""
    from ..scenarios.studies.sweeps.sweep_plan import axes, plan

    along = axes(scenario, {})
    times = repeats(scenario, along)
    jobs = plan(scenario, along, times)
    return f"{spelt(along)}, {plural(times, 'run')} a point: {plural(len(jobs), 'run')}"
