"""The lines that `veilmix poll` and `veilmix lesson` print before phones join."""

import sys
from typing import TYPE_CHECKING

import click

from ...installation import missing
from ...number_text import plural

if TYPE_CHECKING:
    from ...poll.class_settings import ClassTerms
    from ...scenarios.schema.model import Scenario


ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - named to be refused


def check_reachable(host: str) -> None:
    """Raise a UsageError for the address 0.0.0.0 or ::, which phones cannot open."""
    if host in ANYWHERE:
        raise click.UsageError(
            f"--host {host}: phones cannot open this address; give the address of this computer "
            "in the room's network, such as 192.168.1.20"
        )


def say_terms(scenario: "Scenario", terms: "ClassTerms") -> None:
    """Print the terms of a poll before it begins: questions, rules, precision, parties.

    The last line names the keys that the teacher can press during a round.
    """
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
        f"the poll waits for {mix.shufflers} shufflers on other computers, which keep their keys"
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
    """Print the rules of a poll's rounds: smallest number of people, seconds, promised exposure."""
    from ...poll.questions import promise_of
    from ...scenarios.programs.capability import AnswerKind
    from ...scenarios.programs.registry import answers_in

    mix = scenario.mix
    click.echo(
        f"a round needs {plural(mix.min_batch, 'person', 'people')}, with "
        f"{plural(mix.deadline, 'second')} to answer; it ends earlier if all have answered"
    )
    if answers_in(scenario) is AnswerKind.OPENED:
        click.echo("in the first half of this time phones may use the party `randomness`")
    click.echo(f"promised: {promise_of(scenario)}")


def proved_terms(*, once: bool) -> list[str]:
    """Return lines for the teacher: the proofs of a verified mix, and its price for privacy.

    once: whether people submit a single ballot for both rounds, and not a ballot in each round.
    """
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
    """Return the end of a line: where the results of a poll are written.

    proved: whether the mix is verified; then the release is printed as CSV. has_run_folder: whether
    a run folder is written.
    """
    if proved:
        return "; there is no run folder, and what is published is printed as CSV"
    return "" if has_run_folder else ", and nothing is written down"


def say_address(terms: "ClassTerms", address: str) -> None:
    """Print the address of a poll as a QR code and as text, and that of its projector page.

    terms: the terms of the poll; if shufflers run on other computers, their command is printed too.
    """
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
    """Print advice for phones that cannot open the address of a poll.

    If only this computer can open the address, the line says so. address: the URL.
    """
    from ...machines.gate import LOOPBACKS

    if address.split("/")[2].rpartition(":")[0] in LOOPBACKS:
        click.echo("only this computer can open this address: --host ADDRESS lets phones in")
    else:
        click.echo(
            "no phone can open it? School networks often keep devices apart: use a hotspot or an "
            "access point of your own, and say --host with its address"
        )
