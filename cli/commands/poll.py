"""`veilmix poll`: ask the people in a room on their own phones, and save the results."""

import sys
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...installation import missing
from ..app import Unmet
from ..options import FILE, POLL_PORT, kept_options
from ..text.class_opening import check_reachable, say_address, say_terms
from .slips import use_slips, write_slips

if TYPE_CHECKING:
    from ...poll.class_settings import ClassTerms
    from ...poll.questions_file import QuestionsFile
    from ...poll.session import PhoneSession
    from ...poll.session_result import FinishedSession
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.schema.model import Scenario

CHEATS = ("drop", "lie-marginals", "size", "surround")  # names of the attacks in poll/cheats.py
MAX_PEOPLE = 1_000  # most people in a poll


@click.command("poll")
@click.argument("questions", required=False, type=FILE)
@click.option("--demo", is_flag=True, help="Ask three prepared questions.")
@click.option(
    "--new",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a file of questions to begin with, each key explained, and hold no poll.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address at which phones reach this computer. Otherwise: only this computer can join.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=POLL_PORT,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--people",
    type=click.IntRange(1, MAX_PEOPLE),
    metavar="N",
    help="Begin when this number of people has joined.  [default: when Enter is pressed]",
)
@click.option(
    "--wait",
    type=click.FloatRange(1, 86_400),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds to wait for people.",
)
@click.option(
    "--cheat",
    type=click.Choice(CHEATS),
    help="For a lesson: one party cheats, and all learn how at the end.",
)
@click.option(
    "--others",
    is_flag=True,
    help=(
        "Each shuffler runs on another person's computer: they type `veilmix "
        "serve shuffler-1 ADDRESS`, shuffler-2, .. The poll begins when all are"
        " connected."
    ),
)
@click.option(
    "--simulate",
    type=click.IntRange(0, 200),
    default=0,
    metavar="N",
    help=(
        "Add this number of simulated people to a small class. They are "
        "labelled; this computer knows their answers."
    ),
)
@click.option(
    "--one-address",
    "most_of_one",
    type=click.IntRange(1, MAX_PEOPLE),
    default=40,
    show_default=True,
    metavar="N",
    help=(
        "Limit of people who join from one network address; 1 if every phone "
        "has its own. Type a number and Enter to change it while people join."
    ),
)
@click.option(
    "--slips",
    type=click.IntRange(1, MAX_PEOPLE),
    metavar="N",
    help=(
        "Before the lesson: write N slips to print, each with a code that "
        "admits one phone once, and hold no poll. Needs --host, which is "
        "printed on them."
    ),
)
@click.option(
    "--with-slips",
    type=FILE,
    metavar="FILE",
    help="Admit only phones with a slip; FILE has the codes that --slips wrote.",
)
@kept_options
def command(
    questions: Path | None,
    host: str,
    port: int,
    people: int | None,
    wait: float,
    cheat: str | None,
    out: Path,
    new: Path | None,
    *,
    demo: bool,
    others: bool,
    simulate: int,
    most_of_one: int,
    slips: int | None,
    with_slips: Path | None,
    no_save: bool,
) -> None:
    """Ask the people of a room the QUESTIONS of a file, each on a phone of their own.

    An address with a code is printed, also as a QR code; a phone that opens it joins, with a
    nickname. Answers are encrypted on the phone. Every party runs here, so this computer could read
    them, and the page says so. The run folder holds the answers of each person; --no-save writes no
    run folder. With --others the shufflers run on computers of other people. Then this computer by
    itself cannot link answers to people, so it writes no run folder, and prints the release as CSV.
    """
    if new is not None:
        _write_new(new, questions, demo=demo)
        return
    if demo == (questions is not None):
        raise click.UsageError("give either a file of questions or --demo")
    if slips is not None:
        write_slips(_load_questions(questions), questions, host, port, slips, _lang(questions))
        return
    _check_usage(host, people, cheat, simulate, has_remote_shufflers=others)
    if find_spec("h11") is None:
        raise click.UsageError(missing("web", "poll"))
    from ...poll.class_settings import ClassTerms
    from ...poll.questions_file import QuestionsFile

    file = QuestionsFile.read(questions)
    scenario = _with_cheat(file.scenario, cheat)
    slips_file = None if with_slips is None else use_slips(with_slips, scenario, host, port)
    if slips_file is not None:
        host, port = slips_file.host, slips_file.port
    proved = scenario.mix.kind == "verified"
    _check_others(proved=proved, has_remote_shufflers=others)
    has_run_folder = not (no_save or others or proved)
    codes = slips_file.codes if slips_file else ()
    more = others, simulate, most_of_one, codes, file.table.lang
    terms = ClassTerms(host, port, people, wait, has_run_folder, *more)
    _hold(scenario, terms, out if has_run_folder else None, file)


def _hold(
    scenario: "Scenario", terms: "ClassTerms", out: Path | None, file: "QuestionsFile"
) -> None:
    """Hold a poll: print its settings and address, play its session, and print its results.

    terms: the settings. out: the folder in which the run folder is made; None: the results are not
    saved. file: the file of questions from which the scenario was made. Raises Unmet (exit code 3)
    without a release.
    """
    from ...poll.session import PhoneSession
    from ..text.qr import qr_svg

    _check_folder(out)
    say_terms(scenario, terms)
    session = PhoneSession(scenario, terms, click.echo, file, qr_svg)
    printed = terms.has_remote_shufflers or scenario.mix.kind == "verified"
    end = _End(session, out, printed=printed)
    session.hold(partial(say_address, terms), _line if sys.stdin.isatty() else None, end)
    if end.unmet is not None:
        raise end.unmet


@dataclass
class _End:
    """The function that a session calls at its end: it prints and saves the results of the poll.

    At that time the phones still show the results.

    Attributes:
        session: the session of the poll.
        out: the folder in which the run folder is made; None if the results are not saved.
        printed: whether the release is printed as CSV, as no run folder can be written.
        unmet: the reason why the session failed; None if it did not.
    """

    session: "PhoneSession"
    out: Path | None
    printed: bool
    unmet: Unmet | None = None

    def __call__(self, finished_session: "FinishedSession") -> None:
        """Print and save the results of the finished session; a failure is kept in `unmet`."""
        try:
            _end(finished_session, self.session.scenario, self.out, printed=self.printed)
        except Unmet as unmet:
            self.unmet = unmet


def _write_new(new: Path, questions: Path | None, *, demo: bool) -> None:
    """Write a commented file of questions to change, at the path `new`.

    Raises UsageError if questions are given too: a file, or the demo.
    """
    from ...poll.questions import write_new

    if demo or questions is not None:
        raise click.UsageError("--new only writes a file; QUESTIONS and --demo are not accepted")
    write_new(new)
    click.echo(f"wrote {new}   next: change it; veilmix check {new}")
    click.echo(f"to try it alone: veilmix poll {new} --people 1 --simulate 9 --no-save")


def _end(
    finished_session: "FinishedSession", scenario: "Scenario", out: Path | None, *, printed: bool
) -> None:
    """Print the results of a finished poll, and save them if a folder is given.

    out: the folder in which the run folder is made; None: not saved. printed: print the release as
    CSV instead. Raises Unmet if no question was asked or no person has answered.
    """
    from ...poll.record import outcome_of_phones

    if finished_session.board is None:
        raise Unmet(f"no question was asked: {finished_session.room.ended}")
    _own_up(scenario)
    _say_noise(finished_session)
    _say_singles(finished_session)
    if printed:
        from .mix import say_release

        say_release(finished_session.board, scenario)
        return
    if out is None:
        _unsaved(finished_session.board.burned)
        return
    outcome = outcome_of_phones(scenario, finished_session)
    if outcome is None:
        raise Unmet(f"no answer arrived: {finished_session.board.burned}")
    _report(outcome, out)


def _say_noise(finished_session: "FinishedSession") -> None:
    """Print the estimated shares of all answers on stderr, if the phones have added noise."""
    from ...poll.noise import lines

    for line in (
        lines(finished_session.room.noisy_result) if finished_session.room.noisy_result else ()
    ):
        click.echo(line, err=True)


def _say_singles(finished_session: "FinishedSession") -> None:
    """Print the counts of each single question on stderr, if only such counts are published."""
    from ...poll.singles import lines

    for line in lines(finished_session.room.singles) if finished_session.room.singles else ():
        click.echo(line, err=True)


def _check_usage(
    host: str, people: int | None, cheat: str | None, simulate: int, *, has_remote_shufflers: bool
) -> None:
    """Raise a UsageError for an address that phones cannot reach, or for options that conflict.

    host, people, cheat, simulate: the values of these options. has_remote_shufflers: whether
    shufflers run on other computers (`--others`).
    """
    check_reachable(host)
    if cheat and has_remote_shufflers:
        raise click.UsageError(
            "--cheat: not accepted with --others; only parties on this computer can be made to "
            "cheat"
        )
    if simulate and has_remote_shufflers:
        raise click.UsageError(
            "--simulate: not accepted with --others; this computer knows the answers of simulated "
            "people, so they hide no person from it"
        )
    if people is None and not sys.stdin.isatty():
        raise click.UsageError(
            "--people: missing; without a terminal, where Enter begins the poll, the number of "
            "people to wait for is needed"
        )


def _check_others(*, proved: bool, has_remote_shufflers: bool) -> None:
    """Raise a UsageError if a verified mix is to run with shufflers on further computers.

    proved: whether the mix is verified. has_remote_shufflers: whether the shufflers run on further
    computers.
    """
    if proved and has_remote_shufflers:
        raise click.UsageError(
            "--others: a verified mix runs on this computer alone so far; leave out --others, or "
            'kind = "verified" in [mix]'
        )


def _lang(questions: Path | None) -> str | None:
    """Return the tag of the language that a file of questions names; None if it names no language.

    questions: the file; None: the demo.
    """
    from ...poll.questions import DEMO, read_lang

    return read_lang(questions or DEMO)


def _load_questions(questions: Path | None) -> "Scenario":
    """Return the scenario of a file of questions; of the demo if the file is None."""
    from ...poll.questions import DEMO, read_questions

    return read_questions(questions or DEMO)


def _with_cheat(scenario: "Scenario", cheat: str | None) -> "Scenario":
    """Return the scenario in which a party plays the attack `cheat`; None: no party cheats."""
    from ...poll.cheats import with_cheat

    return scenario if cheat is None else with_cheat(scenario, cheat)


def _own_up(scenario: "Scenario") -> None:
    """Print the attack that was played, if `--cheat` made a party cheat."""
    from ...poll.cheats import happened

    if played_attack := happened(scenario):
        click.echo(f"somebody has cheated ({played_attack['attack']}): {played_attack['told']}")


def _check_folder(out: Path | None) -> None:
    """Raise a StorageError, before the poll, if the run folder of the poll could not be made.

    out: the folder in which the run folder is made; None: the results are not saved.
    """
    from ...scenarios.records.run_folder import unwritable

    if out is not None and (wrong := unwritable(out)):
        raise wrong


def _line() -> str | None:
    """Wait for a line that the teacher types; return the line, or None at the end of the input."""
    return sys.stdin.readline() or None


def _unsaved(burned: str | None) -> None:
    """Print that no file was written. Raises Unmet if the round was aborted.

    burned: the reason of the abort; None if the round was completed.
    """
    if burned:
        raise Unmet(f"nothing could be released: {burned}")
    click.echo("over: phones show what was published; nothing was written down here")


def _report(outcome: "Outcome", out: Path) -> None:
    """Print the results of a poll, and save its run folder in `out`; Unmet without a release."""
    from ...presentation.presenters import run as story
    from ...presentation.wording import UNSAFE
    from ...scenarios.records.run_folder import save
    from ..text.layout import page, show

    show(page(), story.run_blocks(outcome))
    folder = save(outcome, out)
    click.echo(f"\nsaved {folder}/   next: veilmix leak {folder}; veilmix theatre {folder}")
    if not outcome.released:
        why = outcome.burned or UNSAFE
        raise Unmet(f"nothing could be released: {why}")
