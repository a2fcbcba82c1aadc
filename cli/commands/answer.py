"""`veilmix answer`: answer in a session between machines, in the terminal or from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import DataError
from ..options import FILE
from ..place_log import PlaceLog
from ..table_options import form_options
from .serve import DURABLE, JOURNAL, KEY, LISTEN, LOG, LOG_FILE, PATIENCE, SAVE, opened, play_to_end

if TYPE_CHECKING:
    from ...scenarios.deployment.session_file import SessionFile


@click.command("answer")
@click.argument("place")
@click.argument("session", type=FILE)
@KEY
@click.option(
    "--from",
    "table",
    type=FILE,
    help="A table with a column for each feature and a row for each person who answers: text, "
    "a workbook, Parquet, of SPSS, Stata or SAS, by its ending.  [default: ask here]",
)
@form_options
@DURABLE
@JOURNAL
@LOG
@LOG_FILE
@PATIENCE
@SAVE
@LISTEN
def command(
    place: str,
    session: Path,
    key: Path,
    table: Path | None,
    durable: str,
    journal: Path,
    log: str,
    log_file: Path | None,
    patience: float,
    save: Path | None,
    listen: str | None,
    **form: Any,
) -> None:
    """Answer for the people of PLACE in the session in the file SESSION, and stay until its end.

    PLACE is a machine of the session, by its name; its people answer here. Answers are encrypted on
    this machine; no other machine alone can read a value and the name of its person.
    """
    hosted, site = opened(
        session,
        place,
        key,
        durable,
        journal,
        PlaceLog(place, log, log_file),
        patience,
        save,
        listen,
    )
    from ...scenarios.deployment.place import read_answers, take_part
    from ...scenarios.populations.file_options import options_of
    from ...scenarios.schema.model import PopulationSection

    if not hosted.directory.places[place].users:
        raise click.UsageError(
            f"{place} has no users who answer; `veilmix serve {place}` runs this party"
        )
    rows = (
        read_answers(table, hosted, options_of(PopulationSection(source=str(table), **form)))
        if table
        else _ask_people(hosted, place)
    )
    play_to_end(lambda running_site: take_part(hosted, running_site, rows), hosted, site)


def _ask_people(session: "SessionFile", place: str) -> Sequence[Sequence[str]]:
    """Ask each user of a place for all values in the terminal; return the users' rows of values.

    A place is a machine of the session with some of its users.
    """
    from ...scenarios.deployment.place import check_answer

    rows = []
    for index in session.directory.places[place].users:
        click.echo(f"user-{index + 1}, of {session.scenario.scenario.name}:", err=True)
        row = {
            feature.name: click.prompt(
                feature.name, type=click.Choice(feature.values or ()), err=True
            )
            for feature in session.schema.features
        }
        try:
            rows.append(check_answer(row, session, lambda: "answer"))
        # click.Choice may accept a value in another case, which `check_answer` refuses
        except DataError as wrong:
            raise click.UsageError(str(wrong)) from None
    return rows
