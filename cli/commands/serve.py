"""`veilmix serve`: run the board, a shuffler, the curator or the analyst of a session.

Each of these parties runs on a machine of its own.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app import Unmet
from ..options import FILE, executor_option
from ..place_log import PlaceLog
from ..table_options import tell_ledger

if TYPE_CHECKING:
    from ...machines.service import Site
    from ...protocol.board.board import Board
    from ...protocol.history.shuffler_history import History
    from ...roles.compute.backend import Workplace
    from ...scenarios.deployment.session_file import SessionFile

KEY_HELP = "Identity of this party: the file NAME.key.toml of `veilmix keys NAME`."
KEY = click.option("--key", type=FILE, required=True, help=KEY_HELP)
OWN_KEY = click.option("--key", type=FILE, help=f"{KEY_HELP} Not needed in a class.")
DURABLE = click.option(
    "--durable",
    type=click.Choice(["off", "tmpfs", "disk"]),
    default="off",
    show_default=True,
    help=(
        "Where to keep a journal, so that a killed process can go on when the "
        "same command is given again. off: no journal; the party and its key "
        "are lost. tmpfs: in memory; survives the process, and root can read it"
        " until the end. disk: survives the machine; an attacker with the disk "
        "before the end can read keys and messages."
    ),
)
JOURNAL = click.option(
    "--journal",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="Folder of the journal, with --durable disk.  [default: this one]",
)
PATIENCE = click.option(
    "--patience",
    type=click.FloatRange(1, 86_400),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds to wait for an unreachable board before this party ends with an error.",
)
LOG = click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the log on stderr. It contains no key, no value and no name of a person.",
)
LOG_FILE = click.option(
    "--log-file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=(
        "Append the log to FILE instead of stderr. SIGHUP opens the file again, after a rotation."
    ),
)
SAVE = click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help=(
        "Folder for every post of the board as it arrives: public evidence of "
        "the session, for `veilmix verify FOLDER`."
    ),
)
LISTEN = click.option(
    "--listen",
    metavar="HOST:PORT",
    help=(
        "Address to listen on, if it is not that of the session file: behind a "
        "NAT, in a container, or behind a proxy that forwards TCP."
    ),
)
SENDERS = {
    True: "only people whose keys the session file names (registered)",
    False: "anyone: the session file names no keys of people (registered is off)",
}  # key: whether the session file lists keys of people; value: the users that may send, in words


@click.command("serve")
@click.argument("place")
@click.argument("session")
@OWN_KEY
@DURABLE
@JOURNAL
@LOG
@LOG_FILE
@PATIENCE
@SAVE
@LISTEN
@executor_option(
    "process", "Where PLACE opens more than 128 messages at a time, with workers of its own"
)
@click.option(
    "--ledger",
    type=FILE,
    metavar="FILE",
    help=(
        "Ledger of earlier sessions, by registered keys; shuffler-1 and the "
        "curator keep one each. Releases that could be subtracted or joined are"
        " refused ([policy] ledger)."
    ),
)
@click.option(
    "--predecessor",
    type=FILE,
    metavar="PUB",
    help="With --ledger: public identity OLD.pub.toml that signed the ledger before.",
)
@click.option(
    "--linger",
    type=click.FloatRange(0, 86_400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds that the board stays after the session, for parties that have not read it.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port to listen on, for a class; 0 takes a free one. A session file has its own.",
)
def command(
    place: str,
    session: str,
    key: Path | None,
    durable: str,
    journal: Path,
    log: str,
    log_file: Path | None,
    patience: float,
    save: Path | None,
    listen: str | None,
    executor: str,
    ledger: Path | None,
    predecessor: Path | None,
    linger: float,
    port: int,
) -> None:
    """Run PLACE (board, curator, analyst, shuffler-1, ...) of the session in the file SESSION.

    The party listens at its address in the session file, over TLS, and ends with the session. Then
    it prints the release as CSV. Exit code 3 without a release.

    With --executor another computer or a cluster does the work of PLACE. Its operator can read all
    that PLACE can read, so it must belong to PLACE.

    SESSION may also be the address of a class (veilmix poll --others). PLACE is then a shuffler of
    the class, without a session file. Without --key it gets an identity for this session alone.
    """
    if "://" in session:
        from .mix import mix_for_class

        if ledger is not None or predecessor is not None:
            raise click.UsageError(
                "--ledger: not accepted for a class, as its people have no registered keys"
            )
        if listen is not None:
            raise click.UsageError("--listen: not accepted for a class; --port sets the port")
        if save is not None:
            raise click.UsageError(
                "--save: not accepted for a class; `veilmix poll` keeps its record"
            )
        require()
        mix_for_class(place, session, key, port, PlaceLog(place, log, log_file), executor)
        return
    if key is None:
        raise click.UsageError(
            f"--key: missing; in the session of a session file {place} needs it: {KEY_HELP}"
        )
    path = Path(session)
    hosted, site = opened(
        path, place, key, durable, journal, PlaceLog(place, log, log_file), patience, save, listen
    )
    if hosted.directory.places[place].users:
        raise click.UsageError(
            f"{place} stands for users who answer questions; run it with `veilmix answer {place}`"
        )
    play_to_end(
        lambda place_site: _served(hosted, place_site, linger, executor, ledger, predecessor),
        hosted,
        site,
    )


def _served(
    session: "SessionFile",
    site: "Site",
    linger: float,
    executor: str,
    ledger: Path | None,
    predecessor: Path | None,
) -> "Board":
    """Run the board or another party to the end of the session; return its copy of the board.

    Args:
        session: the session file.
        site: the parameters of the party that runs on this machine.
        linger: seconds that the board stays after the session.
        executor: name of the executor that decrypts long lists of messages.
        ledger: the party's file of earlier sessions; None without a ledger.
        predecessor: the public identity that signed this ledger before; None if there is none.
    """
    from ...protocol.board.phases import BOARD
    from ...scenarios.deployment.ledger import Keeper, check_kept, check_named, with_ledger
    from ...scenarios.records.identity_files import read_one

    if ledger is None:
        if predecessor is not None:
            raise click.UsageError(
                "--predecessor: accepted only with --ledger FILE; PUB has signed this ledger before"
            )
        check_named(session, site.name)
    else:
        check_kept(session, site.name)
    from ...roles.compute.backends import own_workplace
    from ...scenarios.deployment.place import keep_board, take_part

    if site.name == BOARD:
        if executor != "process":
            raise click.UsageError(
                "--executor: not accepted for the board, which decrypts no messages"
            )
        return keep_board(site, linger)
    with own_workplace(executor, site.name, site.log) as workers:
        if ledger is None:
            return take_part(session, site, workplace=workers)
        play = partial(_remembering, session, site, workers)
        last = read_one(predecessor, "the last keeper") if predecessor else None
        keeper = Keeper(site.name, site.identity, ledger, last)
        board, account = with_ledger(session, keeper, play)
        tell_ledger(account, err=True)
        return board


def _remembering(
    session: "SessionFile", site: "Site", workers: "Workplace", history: "History"
) -> "Board":
    """Run a party that refuses releases which conflict with earlier sessions; return its board.

    history: the earlier sessions, from the ledger of the first shuffler or of the curator. workers:
    the processes that decrypt long lists of messages.
    """
    from ...scenarios.deployment.place import take_part

    return take_part(session, site, workplace=workers, history=history)


def opened(
    path: Path,
    place: str,
    key: Path,
    durable: str,
    journal: Path,
    place_log: PlaceLog,
    patience: float,
    save: Path | None,
    listen: str | None,
) -> tuple["SessionFile", Any]:
    """Read the session file and the identity of a place; return the session and its site.

    A place is a process of the session: a party, or the users of one machine. Its site has all
    parameters to run the place. The function logs how durable the place's journal is, and which
    users may send answers.

    path: the session file. place: name of the place. patience: seconds to wait for an unreachable
    board. save: folder for the posts of the board. listen: address to listen on, if it is not that
    of the session file. Other arguments: the values of the options.
    """
    require()
    from dataclasses import replace

    from ...machines.directory import parse_address
    from ...machines.journal import COSTS, Durable
    from ...scenarios.deployment.place import site
    from ...scenarios.deployment.session_file import read_session
    from ...scenarios.records.identity_files import read_identity

    session, how = read_session(path), Durable(durable)
    where = parse_address(listen, "--listen") if listen else None
    hosted = site(session, place, read_identity(key), place_log, how, journal)
    place_log("durable", COSTS[how])
    place_log("senders", SENDERS[session.registry is not None])
    if where and not session.directory.places[place].port:
        raise click.UsageError(
            f"--listen: {place} does not listen, as it has no address in the session file; leave "
            "it out"
        )
    reload_log = place_log.reopen
    return session, replace(hosted, patience=patience, save=save, listen=where, reload=reload_log)


def require() -> None:
    """Raise a UsageError if the library for HTTP between machines is not installed."""
    from importlib.util import find_spec

    from ...installation import missing

    if find_spec("h11") is None:
        raise click.UsageError(missing("web", "a session between machines"))


def play_to_end(play: Callable[["Site"], "Board"], session: "SessionFile", site: "Site") -> None:
    """Run a place (a process of the session) to the end, and print the release.

    The release is printed before the place's journal is erased. So a process that is killed in
    between can be started again, and no outcome is lost.

    Args:
        play: runs the site to the end of the session.
        session: the session file.
        site: the parameters of the place.

    Raises:
        Unmet: there is no release.
    """
    from dataclasses import replace

    unmet: list[Unmet] = []

    def finish(board: "Board") -> None:
        """Print the release and log the outcome. A missing release is kept as an error for later.

        The error is raised at the end of the command.
        """
        try:
            conclude(board, session)
            site.log("outcome", "released")
        # The error is raised only at the end of the command. Raised here, it would stop the site
        # before its journal is erased.
        except Unmet as why:
            unmet.append(why)
            site.log("outcome", why.message)
        # flush stdout, so that the release is printed before the journal is erased
        click.echo(nl=False)

    play(replace(site, conclude=finish))
    if unmet:
        raise unmet[0]


def conclude(board: "Board", session: "SessionFile") -> None:
    """Print the alarms of a session on stderr, and its release as CSV.

    Raises Unmet (exit code 3) with the reason if there is no release.
    """
    from ...presentation.wording import UNSAFE
    from ...scenarios.deployment.place import released
    from ...scenarios.lab.scoring.result import WrittenRelease
    from ...scenarios.programs.capability import AnswerKind
    from ...scenarios.programs.registry import answers_in
    from ...scenarios.records.run_folder import release_csv

    for party, alarm in board.alarms:
        click.echo(f"{party} raised an alarm: {alarm.cause}, round {alarm.round}", err=True)
    if answers_in(session.scenario) is AnswerKind.REPORTS:
        _estimates(board, session)
        return
    names = [feature.name for feature in session.schema.features]
    counts = released(board, names)
    if counts is None or board.decision is None:
        why = board.burned or UNSAFE
        raise Unmet(f"nothing was released: {why}")
    columns = [names[column] for column in board.decision.kept]
    rows: list[tuple[str | int, ...]] = [(*cell, count) for cell, count in sorted(counts.items())]
    click.echo(release_csv(WrittenRelease(tuple(columns), tuple(rows))), nl=False)


def _estimates(board: "Board", session: "SessionFile") -> None:
    """Print the estimated share of each value from noisy reports as CSV, with 95 % intervals.

    Raises Unmet if no reports were published.
    """
    from ...presentation.text_blocks import Grid
    from ...scenarios.deployment.place import estimated
    from ..text.layout import write_csv

    rows = estimated(board, session)
    if rows is None:
        raise Unmet(f"nothing was counted: {board.burned or 'no reports were published'}")
    names = ("feature", "value", "share", "standard_error", "low_95", "high_95")
    write_csv(Grid(names, [(*row[:2], *(f"{number:.6g}" for number in row[2:])) for row in rows]))
