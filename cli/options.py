"""Options that several commands have, and what such options take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .found import HOME

MAX_SEED = 2**63 - 1

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FILE_THERE = click.Path(path_type=Path, dir_okay=False, exists=True)
SEED = click.IntRange(0, MAX_SEED)

Command = Callable[..., Any]


def kept_options(command: Command) -> Command:
    """Give a command that plays `out`, below which a folder is made, and `no_save`."""
    command = click.option("--no-save", is_flag=True, help="Keep nothing.")(command)
    made = "Where the folder is made."
    return click.option("--out", type=PATH, default=HOME, show_default=True, help=made)(command)
