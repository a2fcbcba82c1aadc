"""`veilmix poll`: ask people on their own phones, and keep what came of it in a run folder."""

import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...installation import missing
from ..app import Unmet
from ..options import FILE, kept_options

if TYPE_CHECKING:
    from ...poll.session import FinishedSession, PhoneSession
    from ...poll.terms import Terms
    from ...scenarios.schema.model import Scenario
    from ...scenarios.scoring.outcome import Outcome

CHEATS = ("drop", "lie-marginals", "size", "surround")  # of poll/cheats.py
MOST = 1_000  # people
ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - named to be refused


@click.command("poll")
@click.argument("questions", required=False, type=FILE)
@click.option("--demo", is_flag=True, help="Three questions that are ready to be used.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address of this computer that phones reach it by. As it is, only this computer can.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8766,
    show_default=True,
    help="0 takes any that is free.",
)
@click.option(
    "--people",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Begin by itself when so many have joined.  [default: when Enter is pressed]",
)
@click.option(
    "--wait",
    type=click.FloatRange(1, 86_400),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long people are waited for.",
)
@click.option(
    "--cheat",
    type=click.Choice(CHEATS),
    help="For a lesson: a party cheats, and all are told how when it is over.",
)
@click.option(
    "--others",
    is_flag=True,
    help="Others mix: each shuffler is a computer of somebody else's, on which they type `veilmix "
    "serve shuffler-1 ADDRESS`, shuffler-2, .. It begins when all are there.",
)
@click.option(
    "--simulate",
    type=click.IntRange(0, 200),
    default=0,
    metavar="N",
    help="Fill up a small class with so many who are no people, and are labelled so; this computer "
    "knows what they say.",
)
@click.option(
    "--one-address",
    "most_of_one",
    type=click.IntRange(1, MOST),
    default=40,
    show_default=True,
    metavar="N",
    help="So many people may join from one network address; 1 where every phone has its own. While "
    "people are waited for, a number and Enter changes it.",
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
    *,
    demo: bool,
    others: bool,
    simulate: int,
    most_of_one: int,
    no_save: bool,
) -> None:
    """Ask the people of a room the QUESTIONS of a file, each on a phone of their own.

    An address with a code is printed, and as a QR code; whoever opens it joins, with a nickname.
    Answers are sealed on the phone. Every party runs here, so this computer could read them, and
    the page says so; the run folder holds who said what, and --no-save writes nothing down. With
    --others the shufflers are other people's computers: nobody can write down who said what, so
    there is no run folder, and what was published is printed as CSV.
    """
    if demo == (questions is not None):
        raise click.UsageError("a file of questions, or --demo; one of the two")
    _check_usage(host, people, cheat, simulate, others=others)
    if find_spec("h11") is None:
        raise click.UsageError(missing("web", "poll"))
    from ...poll.session import PhoneSession
    from ...poll.terms import Terms

    scenario = _asked(questions, cheat)
    no_save = no_save or others
    _check_folder(None if no_save else out)
    kept = not no_save
    terms = Terms(host, port, people, wait, kept, others, simulate, most_of_one)
    _say_terms(scenario, terms)
    session = PhoneSession(scenario, terms, click.echo)
    held = session.hold(
        partial(_opened, terms), partial(_enter, session) if people is None else None
    )
    _end(held, scenario, None if no_save else out, others=others)


def _end(held: "FinishedSession", scenario: "Scenario", out: Path | None, *, others: bool) -> None:
    """Say what came of it, and keep it in a folder, if there is to be one."""
    from ...poll.record import outcome_of_phones

    if held.board is None:
        raise Unmet(f"nothing was asked: {held.room.ended}")
    _own_up(scenario)
    _say_noise(held)
    if others:
        from .mix import say_release

        say_release(held.board, scenario)
        return
    if out is None:
        _unsaved(held.board.burned)
        return
    outcome = outcome_of_phones(scenario, held)
    if outcome is None:
        raise Unmet(f"nobody has answered: {held.board.burned}")
    _report(outcome, out)


def _say_noise(held: "FinishedSession") -> None:
    """Say what the answers tell, where phones have added noise."""
    from ...poll.noise import lines

    for line in lines(held.room.told) if held.room.told else ():
        click.echo(line, err=True)


def _check_usage(
    host: str, people: int | None, cheat: str | None, simulate: int, *, others: bool
) -> None:
    """UsageError for what cannot be had, or not together."""
    if host in ANYWHERE:
        raise click.UsageError(
            f"--host {host}: phones need an address that they can reach, such as 192.168.1.20; "
            "name the one this computer has in the room's network"
        )
    if cheat and others:
        raise click.UsageError(
            "--cheat: only parties that are here are made to cheat; what others do is theirs"
        )
    if simulate and others:
        raise click.UsageError(
            "--simulate: this computer knows what simulated people say, so they hide nobody from "
            "it; where --others mix, nobody is simulated"
        )
    if people is None and not sys.stdin.isatty():
        raise click.UsageError("--people: how many are waited for? nobody can press Enter here")


def _asked(questions: Path | None, cheat: str | None) -> "Scenario":
    from ...poll.cheats import with_cheat
    from ...poll.questions import DEMO, read_questions

    scenario = read_questions(questions or DEMO)
    return scenario if cheat is None else with_cheat(scenario, cheat)


def _own_up(scenario: "Scenario") -> None:
    """Say who has cheated, where anybody was to."""
    from ...poll.cheats import happened

    if said := happened(scenario):
        click.echo(f"somebody has cheated ({said['attack']}): {said['told']}")


def _check_folder(out: Path | None) -> None:
    """StorageError before anybody is asked, if what they say could not be kept."""
    from ...scenarios.records.run_folder import unwritable

    if out is not None and (wrong := unwritable(out)):
        raise wrong


def _say_terms(scenario: "Scenario", terms: "Terms") -> None:
    """Say what the class is in for, before anybody is asked."""
    from ...poll.expected import forecast_of
    from ...poll.questions import promise_of
    from ...scenarios.programs.registry import program_of

    mix = scenario.mix
    click.echo(f"{scenario.scenario.title}: {len(scenario.feature)} questions")
    click.echo(
        f"fewer than {mix.min_batch} people are not asked anything; they have {mix.deadline} "
        f"seconds for a round, less if all have answered"
    )
    if program_of(scenario).opens:
        click.echo("the first half of that is for answering: so long phones may ask randomness")
    click.echo(f"promised: {promise_of(scenario)}")
    if (forecast := forecast_of(scenario, 0, terms.people)) is not None:
        click.echo("\n".join(forecast.lines))
    click.echo(
        f"others mix: {mix.shufflers} shufflers are waited for; their keys are not on this computer"
        if terms.others
        else "all parties run on this computer, so it could read every answer; phones say so"
        + ("" if terms.kept else ", and nothing is written down")
    )
    if terms.people is None:
        click.echo("press Enter to begin, when all are here")


def _opened(terms: "Terms", address: str) -> None:
    from ...poll.facts import LOOPBACKS
    from ..text.qr import qr_code

    code = qr_code(address)
    if code is not None:
        click.echo(code)
    click.echo(f"open {address}   (Ctrl-C ends it)")
    if code is None:
        click.echo(f"no QR code: {missing('web', 'it')}")
    click.echo(f"the wall, for all to look at: {address}/wall")
    if terms.others:
        click.echo(f"to mix, on other computers: veilmix serve shuffler-1 {address}   (2, ..)")
    if address.split("/")[2].rpartition(":")[0] in LOOPBACKS:
        click.echo("only this computer reaches that: --host ADDRESS lets phones in")


def _enter(session: "PhoneSession") -> bool:
    """Wait for Enter; False when there will never be one. A number says how many one address is."""
    while (line := sys.stdin.readline()).strip().isdecimal():
        many = int(line[: len(str(MOST)) + 1])
        if 1 <= many <= MOST:
            session.let_in(many)
            click.echo(f"so many people may join from one address now: {many}")
        else:
            click.echo(
                f"found {line.strip()[:9]} people from one address; 1 to {MOST} are accepted"
            )
    return bool(line)


def _unsaved(burned: str | None) -> None:
    if burned:
        raise Unmet(f"nothing could be released: {burned}")
    click.echo("over: phones show what was published; nothing was written down here")


def _report(outcome: "Outcome", out: Path) -> None:
    from ...scenarios.records.run_folder import save
    from ..text import run as story

    story.tell(outcome)
    folder = save(outcome, out)
    click.echo(f"\nsaved {folder}/   next: veilmix leak {folder}; veilmix theatre {folder}")
    if not outcome.released:
        why = outcome.burned or "no column is safe enough for this promise"
        raise Unmet(f"nothing could be released: {why}")
