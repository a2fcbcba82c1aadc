"""The lines of `veilmix poll` before a session begins."""

import sys
from typing import TYPE_CHECKING

import click

from ...installation import missing

if TYPE_CHECKING:
    from ...poll.class_settings import ClassTerms
    from ...scenarios.schema.model import Scenario


ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - named to be refused


def check_reachable(host: str) -> None:
    """Raise a UsageError for an address of no use to phones."""
    if host in ANYWHERE:
        raise click.UsageError(
            f"--host {host}: phones need an address that they can reach, such as 192.168.1.20; "
            "name the one this computer has in the room's network"
        )


def say_terms(scenario: "Scenario", terms: "ClassTerms") -> None:
    """Print the terms of a session before it begins."""
    from ...number_text import plural
    from ...poll.precision_forecast import forecast_of

    mix = scenario.mix
    click.echo(f"{scenario.scenario.title}: {plural(len(scenario.feature), 'question')}")
    say_rules(scenario)
    if (forecast := forecast_of(scenario, 0, terms.people)) is not None:
        click.echo("\n".join(forecast.lines))
    proved = mix.kind == "verified"
    if proved:
        click.echo("\n".join(proved_terms(once=mix.submit == "once")))
    click.echo(
        f"others mix: {mix.shufflers} shufflers are waited for; their keys are not on this computer"
        if terms.has_remote_shufflers
        else "all parties run on this computer, so it could read every answer; phones say so"
        + _written(proved=proved, has_run_folder=terms.has_run_folder)
    )
    if terms.people is None:
        click.echo("press Enter to begin, when all are here")
    if sys.stdin.isatty():
        click.echo(
            "in a round: w and Enter waits longer, g and Enter goes on with those who are in"
        )


def say_rules(scenario: "Scenario") -> None:
    """Print the fewest people, the time for a round, and the promise of a session."""
    from ...poll.questions import promise_of
    from ...scenarios.programs.capability import AnswerKind
    from ...scenarios.programs.registry import answers_in

    mix = scenario.mix
    click.echo(
        f"fewer than {mix.min_batch} people are not asked anything; they have {mix.deadline} "
        f"seconds for a round, less if all have answered"
    )
    if answers_in(scenario) is AnswerKind.OPENED:
        click.echo("the first half of that is for answering: so long phones may ask randomness")
    click.echo(f"promised: {promise_of(scenario)}")


def proved_terms(*, once: bool) -> list[str]:
    """Return lines about the proofs and the price of a verified mix. once: a single submission."""
    lines = [
        "verified mix: each step is proved on the board, and each phone finds its answers there",
        "price: all shufflers together could link what is published to numbers on the board",
    ]
    if once:
        lines.append(
            "people answer once: a phone that sleeps afterwards costs nothing; all shufflers with "
            "the analyst could also read what is not published"
        )
    return lines


def _written(*, proved: bool, has_run_folder: bool) -> str:
    if proved:
        return "; there is no run folder, and what is published is printed as CSV"
    return "" if has_run_folder else ", and nothing is written down"


def say_address(terms: "ClassTerms", address: str) -> None:
    """Print the addresses of an opened session, and advice for phones that cannot reach them."""
    from .qr import qr_code

    code = qr_code(address)
    if code is not None:
        click.echo(code)
    click.echo(f"open {address}   (Ctrl-C ends it)")
    if code is None:
        click.echo(f"no QR code: {missing('web', 'it')}")
    click.echo(f"the wall, for all to look at: {address}/wall")
    if terms.has_remote_shufflers:
        click.echo(f"to mix, on other computers: veilmix serve shuffler-1 {address}   (2, ..)")
    say_reach(address)


def say_reach(address: str) -> None:
    """Print which phones can open an address, and advice for other phones."""
    from ...machines.gate import LOOPBACKS

    if address.split("/")[2].rpartition(":")[0] in LOOPBACKS:
        click.echo("only this computer reaches that: --host ADDRESS lets phones in")
    else:
        click.echo(
            "no phone can open it? School networks often keep devices apart: use a hotspot or an "
            "access point of your own, and say --host with its address"
        )
