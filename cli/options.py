"""Options that several commands have, and what such options take."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .found import HOME

if TYPE_CHECKING:
    from concurrent.futures import Executor

    _Number = click.ParamType[int]
else:
    _Number = click.ParamType  # click before 8.4 refuses a subscript at run time

MAX_SEED = 2**63 - 1

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FILE_THERE = click.Path(path_type=Path, dir_okay=False, exists=True)
SEED = click.IntRange(0, MAX_SEED)


class Count(_Number):
    """A number of people, written out or as a power of ten: 100000000, 100_000_000, 1e8, 2.5e6."""

    name = "count"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Give the number: one for which an estimate is made."""
        from ..scenarios.studies.scale import LEAST, MOST

        text = str(value).strip()
        try:
            number = Decimal(text) if text.isascii() and len(text) < LONGEST else Decimal(0)
        except InvalidOperation:
            number = Decimal(0)
        if not number.is_finite() or not LEAST <= number <= MOST or number % 1:
            self.fail(
                f"found {text[:LONGEST]!r}; a whole number of {LEAST} to {MOST:,} people is "
                "accepted, as 1e8 or 100000000",
                param,
                ctx,
            )
        return int(number)


class Nodes(_Number):
    """Nodes of every search tree: they end a search wherever it runs, which seconds do not."""

    name = "nodes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Give the number."""
        text = str(value).strip()
        if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_NODES))):
            self.fail(
                f"found {text[:LONGEST]!r}; a whole number of nodes of every search tree is "
                "accepted, such as 1000; seconds are not, as what they find depends on the machine",
                param,
                ctx,
            )
        return int(text)


COUNT, NODES = Count(), Nodes()
MAX_NODES = 999_999_999
LONGEST = 40  # letters of a number

Command = Callable[..., Any]


def kept_options(command: Command) -> Command:
    """Give a command that plays `out`, below which a folder is made, and `no_save`."""
    command = click.option("--no-save", is_flag=True, help="Keep nothing.")(command)
    made = "Where the folder is made."
    return click.option("--out", type=PATH, default=HOME, show_default=True, help=made)(command)


def executor_option(default: str | None, why: str) -> Callable[[Command], Command]:
    """`--executor`, who works. why: what the help says of it before it names the ways."""
    return click.option(
        "--executor",
        default=default,
        show_default=default is not None,
        metavar="process|thread|dask:ADDRESS|MODULE:FUNCTION",
        help=f"{why}: processes, threads, the workers of a Dask scheduler, or the executor that "
        "FUNCTION() returns.",
    )


def tell_trust(executor: str | None) -> None:
    """Say on stderr what whoever plays whole runs can read, where that is somebody else."""
    from ..scenarios.studies.executors import trust_of

    if executor and (trust := trust_of(executor)):
        click.echo(f"note: {trust}", err=True)


def helped(executor: str | None) -> "AbstractContextManager[Executor | None]":
    """Give the executor of a name, open; None for none."""
    if executor is None:
        return nullcontext()
    from ..scenarios.studies.executors import opened

    return opened(executor, None)
