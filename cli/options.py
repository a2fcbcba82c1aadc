"""Options that several commands share, and click types that check the values of options."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .run_lookup import HOME

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..languages.language import Language

    _Number = click.ParamType[int]
else:
    _Number = click.ParamType  # at run time click before 8.4 refuses ParamType[...]

MAX_SEED = 2**63 - 1

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FILE_THERE = click.Path(path_type=Path, dir_okay=False, exists=True)
SEED = click.IntRange(0, MAX_SEED)
POLL_PORT = 8766  # default port of `veilmix poll`; printed on the slips that admit phones


def read_language(tag: str | None) -> "Language | None":
    """Return the language that --lang names; None without it. UsageError for an unknown tag."""
    from ..languages.language import languages

    languages_by_tag = languages()
    if tag is not None and tag not in languages_by_tag:
        raise click.UsageError(f"--lang: found {tag!r}; {', '.join(languages_by_tag)} are accepted")
    return None if tag is None else languages_by_tag[tag]


class FiniteRange(click.FloatRange):
    """Type of an option: a number within a range; infinity and "not a number" are refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; a usage error if it is not finite or out of the range."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"found {value}; a finite number is accepted", param, ctx)
        return number


class PeopleCount(_Number):
    """Type of an option: a number of people, as 100000000, 100_000_000, 1e8 or 2.5e6."""

    name = "count"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of people; a usage error for a number that `check --people` refuses."""
        from ..scenarios.studies.costs.scale import MAX_ESTIMATED, MIN_ESTIMATED

        text = str(value).strip()
        try:
            number = Decimal(text) if text.isascii() and len(text) < LONGEST else Decimal(0)
        except InvalidOperation:
            number = Decimal(0)
        if not number.is_finite() or not MIN_ESTIMATED <= number <= MAX_ESTIMATED or number % 1:
            self.fail(
                f"found {text[:LONGEST]!r}; a whole number of {MIN_ESTIMATED} to {MAX_ESTIMATED:,} "
                "people is "
                "accepted, as 1e8 or 100000000",
                param,
                ctx,
            )
        return int(number)


class Nodes(_Number):
    """Type of an option: the largest number of nodes in each search tree of an exact search.

    Unlike a limit in seconds, a limit of nodes gives the same result on every machine.
    """

    name = "nodes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of nodes; a usage error for any other text, such as seconds."""
        text = str(value).strip()
        if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_NODES))):
            self.fail(
                f"found {text[:LONGEST]!r}; a whole number of nodes of every search tree is "
                "accepted, such as 1000; seconds are not, as what they find depends on the machine",
                param,
                ctx,
            )
        return int(text)


COUNT, NODES = PeopleCount(), Nodes()
MAX_NODES = 999_999_999
LONGEST = 40  # characters of a typed number; a longer text is refused, and quoted up to here

Command = Callable[..., Any]  # a function that click makes a command
Decorator = Callable[[Command], Command]  # adds an option to a command, as click.option returns


def add_options(options: Sequence[Decorator], command: Command) -> Command:
    """Return a click command with more options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def take_options(options: Sequence[Decorator], values: dict[str, Any]) -> dict[str, Any]:
    """Remove the values of some options from the parameters of a command, and return them by name.

    So a function with many parameters can pass these values on together. options: add the options
    to a command. values: all parameters of the command, by name.
    """

    def holder() -> None:
        """Have no effect; click reads the names of the options from this function."""

    names = [
        parameter.name or "" for parameter in click.command(add_options(options, holder)).params
    ]
    return {name: values.pop(name) for name in names}


def checked(check: Callable[[Path], object]) -> Callable[..., Path | None]:
    """Return a click callback that checks the path of an option that names a file, if given.

    So a wrong path is an error before any table is read. check: raises an error for a wrong path.
    """

    def callback(
        _context: click.Context, _option: click.Parameter, file: Path | None
    ) -> Path | None:
        if file is not None:
            check(file)
        return file

    return callback


def kept_options(command: Command) -> Command:
    """Add `--out` and `--no-save` to a command, which takes them as `out` and `no_save`.

    out: the folder in which a run folder is made. no_save: whether the command writes no file.
    """
    command = click.option("--no-save", is_flag=True, help="Write no files.")(command)
    help_text = "Folder in which the run's folder is made."
    return click.option("--out", type=PATH, default=HOME, show_default=True, help=help_text)(
        command
    )


def executor_option(default: str | None, why: str) -> Callable[[Command], Command]:
    """Return the click option `--executor`: the processes, threads or cluster for the work.

    default: the default value of the option. why: the beginning of its help text, such as "Where
    whole runs are played".
    """
    return click.option(
        "--executor",
        default=default,
        show_default=default is not None,
        metavar="process|thread|dask:ADDRESS|MODULE:FUNCTION",
        help=f"{why}: processes, threads, the workers of a Dask scheduler, or the executor that "
        "FUNCTION() returns.",
    )


def tell_trust(executor: str | None) -> None:
    """Print a note on stderr if an executor runs on other machines, which can read a run's secrets.

    executor: its name, as in `--executor`. Processes and threads of this machine need no note.
    """
    from ..roles.compute.executors import trust_of

    if executor and (trust := trust_of(executor)):
        click.echo(f"note: {trust}", err=True)


def helped(executor: str | None) -> "AbstractContextManager[Executor | None]":
    """Return a context that opens the executor with this name; its value is None without a name."""
    from ..roles.compute.executors import opened

    return opened(executor)
