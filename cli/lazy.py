"""A click group that imports the module of a command only if that command is run.

So `veilmix --help` and the start of a command do not load the libraries of all commands.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

import click


class LazyGroup(click.Group):
    """A click group with a module for each command, which is imported on first use.

    Attributes:
        table: the names of the commands, each with its help line, in the order of the help.
        home: the package that has a module named after each command; `command` in it is the
            command.
    """

    def __init__(self, *, table: Mapping[str, str], home: str, **group_arguments: object) -> None:
        """Set the commands and their package.

        table: the name of each command -> its help line. home: the package that has a module named
        after each command. group_arguments: the other arguments of a click group.
        """
        super().__init__(**group_arguments)  # type: ignore[arg-type]
        self.table = table
        self.home = home

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names of the commands, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of a command, and return the command; None for an unknown name."""
        if cmd_name not in self.table:
            return None
        command = import_module(f".{cmd_name}", self.home).command
        assert isinstance(command, click.Command)  # noqa: S101 - the table is ours
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of a command, the command, and the arguments that follow it.

        Raises a usage error with a suggestion for an unknown name.
        """
        if args and args[0] not in self.table and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.table, n=1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            ctx.fail(f"no command is called {args[0]!r}{hint}; there are {', '.join(self.table)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the names and help lines of all commands to the help, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
