"""The click group `veilmix`, and the only place where exceptions become exit codes.

0    done
1    a bug in veilmix: any exception that is not raised on purpose
2    LocalError, wrong usage: the scenario, the data, a folder, an option, too little memory;
     SolverError
3    VerificationError, RoundBurned, and `Unmet`: an expectation of the scenario ([expect]) failed,
     or no data could be released
130  Ctrl-C
143  Stopped: a machine of a session between machines was asked to end (SIGTERM)
"""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper

import click

from ..errors import NO_ROOM, LocalError, RoundBurned, SolverError, Stopped, VerificationError
from ..installation import unusable
from ..library_warnings import mute_process
from .exit_now import STOPPED, Departure
from .lazy import LazyGroup

SUCCESS, BUG, WRONG, UNMET, TERMINATED = 0, 1, 2, 3, 143
INTERRUPTED = "stopped; what was not finished was not written"
# Number of new objects after which Python's garbage collector runs. It is large, because imports
# make many objects but no cyclic garbage.
YOUNG = 50_000
COMPLETE = "_VEILMIX_COMPLETE"  # environment variable by which a shell asks click for completions

COMMANDS = {
    "new": "Write a scenario of your own, starting from a shipped one.",
    "check": "Judge a scenario; say what will happen and what it will cost.",
    "run": "Play a scenario: the release, and how anonymous people are.",
    "show": "The messages of a run, through the eyes of a party or several.",
    "theatre": "A run as a page for a class, message by message; --live plays it.",
    "leak": "What every coalition of a run saw, linked and knows for certain.",
    "sweep": "A scenario at every point of a grid, repeated: means and 95 % intervals.",
    "attack": "Every attack against every defence, measured on a scenario.",
    "compare": "Several programs on one scenario: trust, privacy, utility, cost.",
    "verify": "Replay a run and check every number from what was recorded.",
    "keys": "An identity to sign with: a file for you, one for others.",
    "serve": "Be the board, a shuffler, the curator or the analyst of a session.",
    "answer": "Answer in a session: one person asked here, or many from a file.",
    "poll": "Ask people on their own phones, in a page of this computer.",
    "lesson": "A lesson on the phones of a class: guess, drag, see the class's guesses.",
    "status": "How a running session stands, as anybody sees it on its board.",
    "observe": "Follow a session's board from outside, and save its posts as evidence.",
    "score": "Score a table of your own: exposure, bounds, risk, safe columns.",
    "advise": "How coarse a table of your own must be: searched, with what it costs.",
    "open": "A table of your own in six steps, as a page of this computer.",
    "counts": "Tables of counts that are safe to print: small cells closed, or rounded.",
    "worst": "The worst table with the columns of your own: searched, and bracketed.",
    "report": "One page about a run, sweep, comparison or attack, as a single HTML file.",
    "reproduce": "Redraw the figures of a paper; say what agrees with it.",
    "doctor": "Check this installation: versions, threads, terminal, folders.",
}

EPILOG = """\b
Start with:
  veilmix run blood-type                          30 people, every message small
  veilmix leak runs/blood-type-0007               who could have learnt what
  veilmix new titanic mine.toml                   a scenario to change

\b
Exit codes: 0 done, 1 a bug, 2 wrong usage, scenario or data, 3 an [expect] failed or nothing
could be released or a run does not verify, 130 Ctrl-C, 143 SIGTERM."""


class ReaderLeft(BaseException):
    """Raised if the program that reads stdout (as `head` in a pipe) has closed the pipe.

    This exception ends the process without an error message. As a BaseException it passes handlers
    of Exception.
    """


class Unmet(click.ClickException):
    """Raised for a command that has finished with a negative result; exit code 3.

    Examples: an expectation of the scenario failed, no data were released, a run does not verify.
    """

    exit_code = UNMET


def _version(ctx: click.Context, _option: click.Parameter, is_requested: bool) -> None:  # noqa: FBT001 - click's
    """Print the version and exit: the click callback of the option `--version`."""
    if is_requested:
        from ..version import __version__

        click.echo(f"veilmix {__version__}")
        ctx.exit()


group = LazyGroup(
    name="veilmix",
    table=COMMANDS,
    home="veilmix.cli.commands",
    help="A laboratory for releasing data about people without trusting anyone with the data.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    callback=lambda: None,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Say which version this is.",
        )
    ],
)


def start(arguments: Sequence[str] | None = None) -> int:
    """Run a `veilmix` command and return its exit code.

    arguments: the arguments of the command; None: the arguments of the process, which then ends at
    once (exit_now.py). Only a bug prints a traceback.
    """
    if arguments is not None:
        return _exit_code(list(arguments))
    mute_process()
    gc.set_threshold(YOUNG)
    departure = Departure()
    return departure.set_code(_exit_code(sys.argv[1:]))


def _exit_code(arguments: list[str]) -> int:
    """Run a command, flush stdout, and return the exit code."""
    _closed_streams()
    _lenient_streams()
    code = _code(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _hang_up()
    except OSError as bad:
        return _unwritten(bad, arguments)
    return code


def _code(arguments: list[str]) -> int:
    """Run a command, and turn each exception into a message on stderr and an exit code."""
    try:
        return _invoke(arguments)
    except (BrokenPipeError, ReaderLeft):  # stdout is closed, as in `veilmix ... | head`
        _hang_up()
        return SUCCESS
    except (KeyboardInterrupt, click.Abort):
        _complain(INTERRUPTED)
        return STOPPED
    except click.ClickException as wrong:
        with suppress(OSError):
            wrong.show()
        return wrong.exit_code
    except (LocalError, SolverError) as wrong:
        _complain(str(wrong))
        return WRONG
    except Stopped as asked:
        _complain(str(asked))
        return TERMINATED
    except (VerificationError, RoundBurned) as unmet:
        _complain(str(unmet))
        return UNMET
    except MemoryError:
        _complain("there was not enough memory; take fewer people, or a machine with more memory")
        return WRONG
    except Exception as bug:
        # Python reports a Ctrl-C while it creates a class as the cause of another error
        if isinstance(bug.__cause__, KeyboardInterrupt):
            _complain(INTERRUPTED)
            return STOPPED
        return _unwritten(bug, arguments)


def _unwritten(bug: Exception, arguments: list[str]) -> int:
    """Explain an unexpected exception on stderr, and return the exit code.

    Code 2 for a full disk, an unusable library or a compiled module that a full disk has truncated;
    else it is a bug in veilmix: code 1, with a report of `arguments`, the command line.
    """
    if isinstance(bug, OSError) and bug.errno in NO_ROOM:
        _hang_up()
        _complain(f"the output could not be written: {bug.strerror}; make room on the disk")
        return WRONG
    if (library := unusable(bug)) is not None:
        _complain(library)
        return WRONG
    from .bug import cut_short, report

    if (compiled := cut_short(bug)) is not None:
        _complain(
            f"{compiled}: Python could not write this compiled module whole when a disk was full;"
            " remove the file, make room, and start again"
        )
        return WRONG
    _complain(report(bug, arguments))
    return BUG


def _closed_streams() -> None:
    """Open the null device for each standard stream that was closed (`>&-`).

    Otherwise the next file to be opened would get the stream's number, and output would be written
    into that file.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    # Each closed stream gets the null device, because `open` takes the lowest free number.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _lenient_streams() -> None:
    """Let stdout and stderr print ? for a character that their encoding cannot express.

    Otherwise a narrow encoding, as of PYTHONIOENCODING, would raise an error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _invoke(arguments: list[str]) -> int:
    """Run the click group with these arguments, or answer a shell that asks for completions.

    Return the exit code. Without arguments the help is printed.
    """
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "veilmix", COMPLETE, os.environ[COMPLETE])
    try:
        with group.make_context("veilmix", list(arguments)) as ctx:
            if not arguments:
                click.echo(ctx.get_help())
                return SUCCESS
            # imported here, as the help of `veilmix` without arguments does not need it
            from ..scenarios.serialization.content import reading_once

            with reading_once():
                group.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    return SUCCESS


def _complain(text: str) -> None:
    """Print an error message on stderr, if stderr can be written."""
    with suppress(OSError):  # stderr is a closed pipe, or a file on a full disk
        click.echo(text, err=True)


def _hang_up() -> None:
    """Point stdout at the null device, so that the interpreter's last flush does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
