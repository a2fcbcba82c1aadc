"""`veilmix theatre`: show a run message by message, in an HTML page for a class."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import ParameterError, ScenarioError, StorageError
from ...installation import missing
from ...number_text import plural
from ..options import FILE, SEED, read_language
from ..run_lookup import played

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...scenarios.schema.model import Scenario


@click.command("theatre")
@click.argument("run")
@click.option("--live", is_flag=True, help="Play a scenario now and show it on this computer.")
@click.option(
    "--known",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With a URL: public identity of the board, board.pub.toml.",
)
@click.option(
    "--out",
    type=FILE,
    help="Page to write.  [default: theatre-NAME.html]",
)
@click.option("--seed", type=SEED, help="Seed of the scenario, as of `run`.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port of the live page; 0 takes a free one.",
)
@click.option(
    "--lang", help="Language of the page: en, de, ..  [default: en; live: of the browser]"
)
@click.option(
    "--seconds",
    type=click.IntRange(1, 3600),
    default=10,
    show_default=True,
    help="Seconds in which people send, in the live run.",
)
def command(
    run: str,
    *,
    live: bool,
    known: Path | None,
    out: Path | None,
    seed: int | None,
    port: int,
    lang: str | None,
    seconds: int,
) -> None:
    """Show RUN (a run folder, or a scenario that is played now) message by message.

    The page is a self-contained file, which loads no other file. It holds all messages and answers
    of RUN; the party with the view to show is chosen in the browser.

    RUN may also be the board of a running session between machines, https://HOST:PORT. Then the
    page follows the board, and shows the public posts, which are the view of an outsider.
    """
    language = read_language(lang)
    if run.startswith("https://"):
        _outside(run, known, port, language, out=out, live=live)
        return
    if known is not None:
        raise click.UsageError(
            "--known: accepted only for the board of a running session, https://HOST:PORT"
        )
    if live:
        if out is not None:
            raise click.UsageError("--live writes no page; leave out --out")
        _live(run, seconds, seed, port, language)
        return
    name, data = _load_show(run, seed, language)
    path = out or Path(f"theatre-{name}.html")
    from ...scenarios.serialization.atomic_file import write_page
    from ...theatre.page import render

    page = render(data, language)
    write_page(path, page)
    people = plural(data["bill"]["people"], "person", "people")
    click.echo(f"saved {path} ({len(page.encode()) / 1000:,.0f} kB), with all that {people} said")
    click.echo("next: open it in a browser; space plays, ? lists the keys")


def _outside(
    url: str,
    identity_path: Path | None,
    port: int,
    language: "Language | None",
    *,
    out: Path | None,
    live: bool,
) -> None:
    """Show the public board of a running session in a live page, until Ctrl-C.

    url: the address of the board. identity_path: the file with the board's public identity. port:
    the port of the page. language: the language of the page. out, live: options of the command,
    which are refused.
    """
    if out is not None or live:
        raise click.UsageError(
            f"{url}: a running session is always shown live and not written; leave out --live and "
            "--out"
        )
    if identity_path is None:
        raise click.UsageError(
            f"--known: missing for the board {url}; its public identity, the file board.pub.toml, "
            "is needed"
        )
    from ...scenarios.records.identity_files import read_one
    from .serve import require

    require()
    from ...theatre.remote_board import show_board

    show_board(url, read_one(identity_path, "the board"), port, _print_line, language)


def _print_line(line: str) -> None:
    """Print a line of the live page's server; after an address, say that Ctrl-C ends the page."""
    click.echo(f"live at {line}   (Ctrl-C ends it)" if line.startswith("http") else line)


def _load_show(
    named: str, seed: int | None, language: "Language | None"
) -> tuple[str, dict[str, Any]]:
    """Return the name and the page data of a saved run, or of a scenario that is played now.

    named: the run folder or scenario. seed: the seed with which the scenario is played; a seed for
    a saved run raises ParameterError.
    """
    from ...scenarios.schema.single_rows import require_single_rows
    from ...theatre.show import check_size, outcome_data, run_data

    if folder := played(named):
        if seed is not None:
            raise ParameterError(
                f"--seed: {folder} has been played already; a scenario is accepted here"
            )
        from ...scenarios.records.run_folder import read

        record = read(folder)
        require_single_rows(record.scenario, "theatre")
        return folder.name, run_data(record, language)
    from ...scenarios.lab.play.run import run
    from ...scenarios.programs.registry import samples
    from ...scenarios.records.run_folder import default_name

    scenario = _scenario(named)
    require_single_rows(scenario, "theatre")
    # checked before the run, because the run may take long
    check_size(samples(scenario, seed).people.n)
    outcome = run(scenario, seed, worst_case_nodes=0)
    return default_name(outcome), outcome_data(outcome, language)


def _scenario(named: str) -> "Scenario":
    """Load a scenario; the error for an unknown name lists scenarios and run folders."""
    from ...scenarios.lab.validation.load import load

    try:
        return load(named)
    except ScenarioError as wrong:
        if Path(named).exists():
            raise
        from ..run_lookup import folder

        try:
            folder(named)
        except StorageError as missing:
            raise ScenarioError([*wrong.problems, str(missing)]) from None
        raise


def _live(
    named: str, seconds: int, seed: int | None, port: int, language: "Language | None"
) -> None:
    """Play a scenario in real time and show it in a live page, until Ctrl-C.

    seconds: time in which people send their answers. seed: the seed of the run; None: the
    scenario's. port: the port of the page. language: the language of the page.
    """
    if folder := played(named):
        raise ParameterError(
            f"--live plays a scenario; {folder} is a run that has been played: leave out --live"
        )
    scenario = _scenario(named)
    try:
        from ...theatre.live import live
    except ImportError:
        raise click.UsageError(missing("web", "--live")) from None
    from ...scenarios.lab.validation.load import change

    live(change(scenario, {"mix.deadline": seconds}), seed, port, _print_line, language)
