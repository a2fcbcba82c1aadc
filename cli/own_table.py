"""The options of a table of one's own at the command line.

@table_options
def command(data: Path, k: int, **reading: Any) -> None:
table = read(data, Reading(**reading))
"""

from collections.abc import Callable
from typing import Any

import click

NAMES = "A,B,..."


OPTIONS = (
    click.option("--columns", help="Only these columns.", metavar=NAMES),
    click.option("--separator", metavar="SIGN", help="Between two cells: , ; | or tab."),
    click.option("--encoding", metavar="NAME", help="Such as utf-8, utf-16, latin-1, cp1252."),
    click.option("--sheet", metavar="NAME", help="Of an Excel workbook; otherwise the first."),
    click.option("--header/--no-header", default=None, help="Whether line 1 names the columns."),
    click.option("--decimal", type=click.Choice([".", ","]), help="The sign before decimals."),
    click.option(
        "--missing-text",
        multiple=True,
        metavar="TEXT",
        help='Cells with this text are missing, as are empty ones; e.g. "?". May be repeated.',
    ),
    click.option("--identifier", metavar=NAMES, help="These say who somebody is: never asked."),
    click.option("--quasi", metavar=NAMES, help="These may be known of a person."),
    click.option("--sensitive", metavar=NAMES, help="These are what nobody should learn."),
    click.option("--other", metavar=NAMES, help="These are nothing of the kind."),
    click.option(
        "--coarsen",
        multiple=True,
        metavar="RULE",
        help="Coarser values, such as age.bins.width=10, born.date=year, zip.prefix=3, "
        'sex.fold=["case"], job.merge_below=50. May be repeated.',
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a table; it takes them as `**reading`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
