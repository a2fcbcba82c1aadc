"""What `veilmix sweep` is told on the command line: axes of a grid, and parts of it."""

import tomllib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..scenarios.sweepfile import Value

    _Type = click.ParamType[object]
else:
    _Type = click.ParamType


class Shard(_Type):
    """`i/n`: the i-th of n parts, from 1."""

    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Take it apart."""
        part, slash, parts = str(value).partition("/")
        if slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts):
            return int(part), int(parts)
        raise click.BadParameter(
            f"found {value!r}; I/N with I from 1 to N is accepted, such as 2/5", ctx, param
        )


class Setting(_Type):
    """`PATH=V1,V2`: a key of the scenario and the values that it takes."""

    name = "PATH=V1,V2"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "tuple[str, tuple[Value, ...]]":
        """Take it apart: values as in a scenario file; a word needs no quotes."""
        key, equals, texts = str(value).partition("=")
        if not (equals and key.strip() and texts.strip()):
            raise click.BadParameter(
                f"found {value!r}; PATH=V1,V2 is accepted, such as policy.k=2,5", ctx, param
            )
        return key.strip().strip('"'), tuple(values(texts))


def values(text: str) -> "Iterator[Value]":
    """The values in a text: TOML's where they are that, else words, between commas."""
    try:
        found = tomllib.loads(f"v = [{text}]")["v"]
    except tomllib.TOMLDecodeError:
        found = [one for word in text.split(",") for one in _word(word.strip())]
    yield from found


def _word(word: str) -> "Iterable[Value]":
    try:
        found: list[Value] = tomllib.loads(f"v = [{word}]")["v"]
    except tomllib.TOMLDecodeError:
        return (word,)
    return found
