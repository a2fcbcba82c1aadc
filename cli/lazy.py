"""A group of commands with their names and help lines; it imports a command on first use."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

import click


class LazyGroup(click.Group):
    """Commands by name: `table` has the help line of each; its module has it as `command`."""

    def __init__(self, *, table: Mapping[str, str], home: str, **group_arguments: object) -> None:
        super().__init__(**group_arguments)  # type: ignore[arg-type]
        self.table = table
        self.home = home

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names of the commands, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in self.table:
            return None
        command = import_module(f".{cmd_name}", self.home).command
        assert isinstance(command, click.Command)  # noqa: S101 - the table is ours
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the named command; a usage error with a suggestion if it does not exist."""
        if args and args[0] not in self.table and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.table, n=1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            ctx.fail(f"no command is called {args[0]!r}{hint}; there are {', '.join(self.table)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
