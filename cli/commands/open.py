"""`veilmix open`: anonymize a table in six steps, in a browser page that this computer serves."""

import webbrowser
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from ...installation import missing
from ..options import FILE_THERE, PATH, read_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...analysis.scoring import TableScore
    from ...own_data.advise import Advised
    from ...own_data.attacker_columns import Roles
    from ...own_data.read_table import Reading
    from ...own_data.release_record import ReleasedFile
    from ...own_data.score_record import ScoredTable
    from ...presentation.blocks import Block
    from ...scenarios.populations.people import SourceTable
    from ...workbench.choices import UserChoices
    from ...workbench.desk import Desk
    from ...workbench.files import OwnFiles
    from ...workbench.server import Workbench
    from ...workbench.wording import CommandOutput, CommandWords

PORT = 8768
WARNING = "warning   "  # the beginning of a warning's line, see `warn` in table_options.py
REDIRECT = (
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={0}"><a href="{0}">veilmix</a>\n'
)


@click.command("open")
@click.argument("data", type=PATH, required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--replay",
    type=FILE_THERE,
    help="Repeat a session that the page has saved; DATA replaces the file of the session.",
)
@click.option(
    "--lang",
    metavar="LANGUAGE",
    help="Language of the page, such as de.  [default: as the browser prefers]",
)
def command(
    data: Path | None, port: int, replay: Path | None, lang: str | None, *, no_browser: bool
) -> None:
    """Open a page for DATA, a table of your own: persons, columns, goal, choices, result.

    The page computes by `score`, `advise`, `counts` and `report`, and shows the commands
    that do the same. Only this computer can open it. No data leave it. Only files that you
    save are written, and temporary files in a private folder. Ctrl-C ends it, or closing its tab.
    """
    from ...errors import DataError
    from ...temporary_files import private_folder
    from ...workbench.files import OwnFiles, is_unicode
    from ...workbench.server import serve_workbench

    read_language(lang)
    if find_spec("h11") is None:
        raise click.UsageError(missing("web", "open"))
    choices, display_path = _choices(replay, data)
    path = None if display_path is None else _path(display_path, replay, data)
    if path is not None and not is_unicode(str(path)):
        raise DataError(f"{str(path)!r}: this name is no Unicode text; rename the file")
    if path is not None and not path.is_file():
        raise DataError(f"{path}: there is no such file")
    with private_folder("files that the page hands over") as folder:
        files = OwnFiles(
            folder, _session_hierarchies(replay, choices), _session_files(replay, choices)
        )
        make = partial(_desk, files, path, display_path, choices, lang)
        opened = partial(_opened, folder, no_browser=no_browser)
        serve_workbench(make, port, opened, click.echo)
    click.echo("ended; nothing was kept")


def _choices(replay: Path | None, data: Path | None) -> "tuple[UserChoices | None, str | None]":
    """Return the choices of a saved session of the page, and the path of the table as text.

    Without a saved session the choices are None. The path is None if neither the user nor the
    session names a table.

    replay: the file of the saved session. data: the table that the user names; None: the session's.
    """
    from ...workbench.choices import read_session

    if replay is None:
        return None, None if data is None else str(data)
    choices = read_session(replay.read_bytes(), str(replay))
    return choices, str(data) if data is not None else choices.data or None


def _path(display_path: str, replay: Path | None, data: Path | None) -> Path:
    """Return the path of the table; a relative path of a saved session starts at its folder.

    display_path: the path as text. replay: the file of the saved session. data: the table that the
    user names; None: the session's.
    """
    path = Path(display_path).expanduser()
    if data is None and replay is not None and not path.is_file():
        return replay.parent / path
    return path


def _session_hierarchies(replay: Path | None, choices: "UserChoices | None") -> dict[str, Path]:
    """Return the files with coarser values that lie beside a saved session, by column.

    replay: the file of the saved session. choices: its choices, which name these files.
    """
    if replay is None or choices is None:
        return {}
    named = {column: replay.parent / name for column, name in choices.hierarchy.items()}
    return {column: path for column, path in named.items() if path.is_file()}


def _session_files(replay: Path | None, choices: "UserChoices | None") -> dict[str, Path]:
    """Return further input files that lie beside a saved session, by the choice that names them.

    replay: the file of the saved session. choices: its choices, which name these files.
    """
    from ...workbench.choices import FILE_CHOICES

    if replay is None or choices is None:
        return {}
    named = {name: Path(file) for name in FILE_CHOICES if (file := getattr(choices, name))}
    session_files = {
        name: replay.parent / path
        for name, path in named.items()
        if not path.expanduser().is_file()
    }
    return {name: path for name, path in session_files.items() if path.is_file()}


def _desk(
    files: "OwnFiles",
    path: Path | None,
    display_path: str | None,
    choices: "UserChoices | None",
    lang: str | None,
) -> "Desk":
    """Return the state of the page, with the user's table open, if it is known.

    files: the input and output files of the page. path, display_path: the table; None: it is chosen
    in the page. choices: the choices in a saved session. lang: tag of the page's language; None:
    the browser's.
    """
    from ...workbench.desk import Desk

    desk = Desk(words(), files, click.echo, lang)
    if path is not None and display_path is not None:
        desk.open(path, display_path, choices, dict(files.hierarchies), dict(files.given_files))
    return desk


def _opened(folder: Path, bench: "Workbench", *, no_browser: bool) -> None:
    """Print the address of the page, and open a browser.

    All users of a computer can see command lines, and the address has a secret. So the browser gets
    the path of a file in a private folder, which redirects to the address. A thread starts the
    browser, because this may take long.
    """
    from ...workbench.files import keep_private

    click.echo(f"open {bench.address}   (Ctrl-C ends it)")
    click.echo("this computer alone can open it; nothing leaves it")
    if not no_browser:
        page = folder / "open.html"
        keep_private(page, REDIRECT.format(bench.address).encode())
        Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()


def words() -> "CommandWords":
    """Return the functions by which the page computes and words the output of commands.

    The page (the package `workbench`) may not import the command line, so these functions give it
    the results of `advise`, `score` and `counts`.
    """
    from ...workbench.wording import CommandWords
    from ..text import advice

    return CommandWords(
        advice=_advice_text,
        advice_steps=advice.steps,
        advice_choices=advice.choices,
        advice_lines=_advice_lines,
        searched=advice.searched,
        score=_score_text,
        record=_record,
        run=_run,
        advice_record=_advice_record,
        advice_figure=_advice_figure,
        scenario=_scenario,
        help=_help(),
    )


def _record(
    advised: "Advised",
    released: "SourceTable",
    roles: "Roles",
    data: Path,
    reading: "Reading",
    arguments: list[str],
    file: "ReleasedFile",
    progress: "Callable[[str], None]",
) -> "tuple[TableScore, ScoredTable]":
    """Return the score of a released table and its record, as `veilmix advise --save` writes it.

    Args:
        advised: the advice.
        released: the generalized table.
        roles: the roles of its columns.
        data: the file of the original table.
        reading: the options by which the table was read.
        arguments: the command line of `advise`, which the record quotes.
        file: the written table, with its hash.
        progress: receives the stages of the work.
    """
    from ..table_release import advised_record
    from .advise import command as advise

    name, *option_arguments = arguments
    with advise.make_context(name, option_arguments):
        return advised_record(advised, released, roles, data, reading, file, progress)


def _run(arguments: "Sequence[str]", progress: "Callable[[str], None]") -> "CommandOutput":
    """Run `score` or `counts` in this process, and return its output, with the error if it fails.

    arguments: the command line after `veilmix`. progress: receives the stages of the work.
    """
    from ...errors import VeilmixError
    from ...workbench.wording import CommandOutput
    from ..text.capture import capturing
    from .counts import command as counts
    from .score import command as score

    name, *option_texts = arguments
    error = None
    with capturing(progress) as capture:
        try:
            {"score": score, "counts": counts}[name].main(
                option_texts, prog_name=name, standalone_mode=False
            )
        except click.ClickException as wrong:
            error = wrong.format_message()
        except (VeilmixError, OSError) as wrong:
            error = str(wrong)
    warnings = (line.removeprefix(WARNING) for line in capture.messages if line.startswith(WARNING))
    return CommandOutput(capture.out.getvalue(), tuple(capture.printed), tuple(warnings), error)


def _help() -> dict[str, str]:
    """Return the help text of each option of `score`, `advise` and `counts`.

    The keys are "COMMAND OPTION", such as "score --k".
    """
    from .advise import command as advise
    from .counts import command as counts
    from .score import command as score

    return {
        f"{name} {option}": parameter.help or ""
        for name, subcommand in (("score", score), ("advise", advise), ("counts", counts))
        for parameter in subcommand.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }


def _advice_record(advised: "Advised", called: str) -> str:
    """Return the output of `veilmix advise --format json`. called: the name of the table's file."""
    from ...scenarios.serialization.json_text import pretty
    from ...scenarios.serialization.record import plain
    from ..text.advice_record import advised_table

    return pretty(plain(advised_table(advised, called)))


def _advice_figure(advised: "Advised", file: Path) -> None:
    """Draw the figure of `veilmix advise --figure` to a file. LocalError if it cannot be drawn."""
    from ..table_options import check_figure
    from .advise import draw

    check_figure(file)
    draw(advised, file)


def _scenario(advised: "Advised", data: Path, reading: "Reading", folder: Path) -> str:
    """Return the text of the scenario file of `veilmix advise --write`, to be saved in a folder.

    Raises DataError for advice that a scenario cannot express.
    """
    from ...own_data.scenario_file import check_counted, scenario_text

    check_counted(advised)
    return scenario_text(advised, data, reading, folder)


def _advice_lines(advised: "Advised") -> list[str]:
    """Return the lines of `veilmix advise` on the advised choice: known columns, and costs."""
    from ..text import advice

    return [*advice.known_column_lines(advised), *advice.costs(advised.cost, advised.predict)]


def _advice_text(advised: "Advised", called: str) -> str:
    """Return the output of `veilmix advise` as text. called: the name of the table's file."""
    from ..text.advice import advice_blocks

    return _text(advice_blocks(advised, called))


def _score_text(
    score: "TableScore", called: str, lacks: "Sequence[str]", table: "SourceTable"
) -> str:
    """Return the output of `veilmix score` as text.

    called: the name of the table's file. lacks: the texts of missing cells.
    """
    from ..text.score_record import scored_table
    from .score import score_blocks

    return _text(score_blocks(score, scored_table(score, Path(called), lacks, table), table))


def _text(blocks: "Iterator[Block]") -> str:
    """Return lines and tables as the plain text that a pipe would receive."""
    from ..text.layout import PIPED, PipeConsole, show

    out = StringIO()
    plain = PipeConsole(
        file=out, width=PIPED, markup=False, emoji=False, highlight=False, color_system=None
    )
    show(plain, blocks)
    return out.getvalue()
