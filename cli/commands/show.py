"""`veilmix show`: print the messages of a run in the view of a party or coalition."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
from msgspec import UNSET

from ...number_text import plural
from ...presentation.text_blocks import Grid
from ..text.bases import bases_text
from ..text.layout import PipeConsole, clean, lay_out, page, say, write_json, write_text
from ..text.sequence_diagram import DiagramFlow, flows, mermaid

if TYPE_CHECKING:
    from ...protocol.knowledge.transcript import Event
    from ...protocol.knowledge.view import View
    from ...scenarios.records.run_folder import Run
    from ..text.records import ShownEvent, ShownView

PEOPLE = 10  # linked people that are printed one by one without --all
CELLS = 8  # cells that are printed of each table of counts


@click.command("show")
@click.argument("run")
@click.option(
    "--as",
    "eyes",
    multiple=True,
    metavar="PARTY[+PARTY...]",
    help=(
        "Show the view of a party: curator, analyst, shuffler-1, user-1, "
        "network, or of a coalition with + between."
    ),
)
@click.option(
    "--all", "everything", is_flag=True, help="Show every message and person instead of a summary."
)
@click.option(
    "--why",
    metavar="PERSON|MESSAGE",
    help=(
        "Derive, step by step, the knowledge about user-3 (peer-3), or about a "
        "ciphertext by its name."
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "mermaid"]),
    default="text",
    show_default=True,
)
def command(run: str, eyes: Sequence[str], *, everything: bool, why: str | None, form: str) -> None:
    """Show the message flow of RUN in the view of PARTY, with all layers, counts and links it gets.

    Without --as: list the parties. With --why: derive the knowledge of PARTY about a person or a
    ciphertext from its view and its keys.
    """
    from ...scenarios.records.run_folder import read
    from ...scenarios.records.verification.damaged_record import diagnose_record
    from ...scenarios.records.verification.views import people_named, present, view_of
    from ..run_lookup import folder

    record = read(folder(run))
    members = tuple(dict.fromkeys(name for group in eyes for name in group.split("+")))
    if not members:
        parties = [*present(record), people_named(record).replace(" to ", " ... ")]
        if form != "json":
            _warn(page(), record)
        _parties(parties, record, run, form)
        return
    with diagnose_record(record):
        if why is not None:
            _derive(record, members, why, form)
            return
        view = view_of(record, members)
        if form == "json":
            write_json(_record(record, view))
        elif form == "mermaid":
            write_text(mermaid(flows(view.events)) + "\n")
        else:
            _print_view(page(), record, view, members, shows_all=everything)


def _parties(parties: Sequence[str], record: "Run", called: str, form: str) -> None:
    """Print the parties of a run and the next command, or the parties as JSON.

    called: the name or path that the user gave for the run.
    """
    if form == "json":
        from ..text.records import ShownParties

        write_json(ShownParties(tuple(parties)))
        return
    from ...scenarios.programs.topology import topology_of

    about = record.scenario.scenario
    if about.extended:
        click.echo(clean(f"scenario {about.name}, which extends {bases_text(about)}"))
    click.echo("parties of this run: " + ", ".join(parties))
    click.echo(f"next: veilmix show {called} --as {topology_of(record.scenario).example}")


def _warn(console: PipeConsole, run: "Run") -> tuple[str, ...]:
    """Print a warning for each deviation of a party from the protocol; return the warnings."""
    from ...scenarios.records.verification.deviations import deviations

    lines = deviations(run.scenario, run.result.attacks, run.result.alarms)
    for line in lines:
        say(console, f"!! {clean(line)}", style="bold red")
    return lines


def _derive(run: "Run", members: Sequence[str], about: str, form: str) -> None:
    """Print how a coalition derives its knowledge about a person or a ciphertext, step by step.

    members: the parties of the coalition. about: name of the person or ciphertext.
    """
    from ...scenarios.records.verification.explanation import why
    from ...scenarios.records.verification.reasons import lines
    from ...scenarios.schema.single_rows import require_single_rows

    # A derivation treats each person's answer to a question as one fact, so people with several
    # rows are refused.
    require_single_rows(run.scenario, "show --why")
    if form == "mermaid":
        raise click.UsageError("--why: found --format mermaid; text and json are accepted")
    derivation = why(run, members, about)
    if form == "json":
        write_json(derivation)
        return
    console = page()
    say(console, f"{derivation.about}, derived by {' + '.join(members)}\n")
    for line in lines(derivation):
        say(console, clean(line))


def _print_view(
    console: PipeConsole, run: "Run", view: "View", members: Sequence[str], *, shows_all: bool
) -> None:
    """Print the messages in the view of a coalition, and the values opened, read and linked.

    members: the parties of the coalition. shows_all: every message and person, not a summary.
    """
    from ...analysis.trust import users_linked
    from ...scenarios.records.verification.deviations import NOT_BY_WATCHING

    say(console, f"{run.folder.name} through the eyes of {' + '.join(members)}\n")
    deviated = _warn(console, run)
    rows = [_row(flow)[: 8 if shows_all else 7] for flow in flows(view.events, each=shows_all)]
    headings = ("time", "from", "to", "message", "round", "how many", "bytes each", "name")
    lay_out(console, Grid(headings if shows_all else headings[:-1], rows, (0, 4, 5, 6)))
    missed = sum(event.messages for event in view.transcript.events) - sum(
        event.messages for event in view.events
    )
    say(console, f" {plural(missed, 'message')} not in this view\n", style="dim")
    lines = (*_opened(run, view), *_read(run, view))
    if deviated and not users_linked(view):
        lines += (f"links    {NOT_BY_WATCHING}",)
    else:
        lines += (*_pinned(run, view, shows_all=shows_all), *_guessed(run, view))
    for line in lines:
        say(console, clean(line))


def _row(flow: DiagramFlow) -> tuple[object, ...]:
    """Return a flow, a group of similar messages, as a row of the printed table."""
    return (
        f"{flow.time:.0f} s",
        flow.sender,
        flow.receiver,
        flow.kind,
        flow.round or "",
        f"{flow.messages:,}",
        f"{flow.smallest:,}"
        if flow.smallest == flow.largest
        else f"{flow.smallest:,}-{flow.largest:,}",
        flow.name,
    )


def _opened(run: "Run", view: "View") -> Iterator[str]:
    """Yield a line for each round: the layers of a submission that the coalition can decrypt.

    In a verified mix the line counts the keys that the coalition holds, of all keys that open an
    answer. If the reader has published its decryption shares, all answers are public. Then the line
    counts the secret shuffle orders that the coalition holds.
    """
    for number, (opened, layers) in view.opened.items():
        if run.scenario.mix.kind == "verified":
            extent = "all" if opened == layers else opened or "none"
            if layers == run.scenario.mix.shufflers:
                yield (
                    f"opens    round {number}: all answers, like all people; holds {extent} of "
                    f"the {layers} secret orders that link answers to names"
                )
                continue
            yield (
                f"opens    round {number}: holds {extent} of the {layers} keys that open an answer"
            )
            continue
        extent = "all" if opened == layers else "none" if not opened else f"the outer {opened}"
        yield f"opens    round {number}: {extent} of the {layers} layers of a submission"


def _read(run: "Run", view: "View") -> Iterator[str]:
    """Yield a line for each table of counts that the coalition has read, with some cells."""
    from ...protocol.wire.rows_per_person import dummies_in, without_dummies
    from ...scenarios.records.verification.views import columns

    names = columns(run)
    if not view.counted:
        yield "reads    no counts"
    for counted in view.counted:
        cells = sorted(without_dummies(counted.counts).items())
        cell_texts = [f"{' '.join(values)}: {people:,}" for values, people in cells[:CELLS]]
        more = f", ... ({len(cells):,} in all)" if len(cells) > CELLS else ""
        columns_text = " x ".join(names[column] for column in counted.columns)
        people_text = f" of {plural(counted.people, 'person', 'people')} told apart"
        about = f"{columns_text}{'' if counted.among is None else people_text}"
        dummies = dummies_in(counted.counts)
        blank = f"; {plural(dummies, 'dummy', 'dummies')}" if dummies else ""
        yield f"reads    round {counted.round}: {about}: {', '.join(cell_texts)}{more}{blank}"


def _guessed(run: "Run", view: "View") -> Iterator[str]:
    """Yield lines on a coalition's conclusions: certain cells, leakage and rows guessed right."""
    from ...scenarios.records.verification.views import scored

    learnt = scored(run, view)
    several = run.scenario.population.rows is not None
    if learnt.rows_guessed is None and not several:
        return
    marks = {"exact": "", "sampled": "about "}
    mark = marks.get(learnt.method, f"{learnt.method} ")
    yield (
        f"knows    {learnt.certain_are.word}{learnt.cells_certain:,} of "
        f"{plural(learnt.cells, 'cell')} for certain; "
        f"{learnt.bits_are.word}{learnt.bits_per_person:.2f} bits a person"
    )
    if learnt.rows_guessed is None or learnt.rows_guessed_before is None:
        return
    yield (
        f"guesses  {mark}{learnt.rows_guessed:,.1f} of {learnt.users:,} whole rows right, expected "
        f"({learnt.rows_guessed_before:,.1f} before it saw anything)"
    )


def _pinned(run: "Run", view: "View", *, shows_all: bool) -> Iterator[str]:
    """Yield lines: the number of people whom a coalition links to values, and these values.

    shows_all: list all linked people, not only the first.
    """
    from ...analysis.trust import users_linked
    from ...scenarios.programs.capability import AnswerKind
    from ...scenarios.programs.registry import answers_in
    from ...scenarios.records.verification.views import columns, person_of

    linked, users = users_linked(view), view.users
    people_text = f"{linked:,} of {plural(users, 'person', 'people')}"
    if not linked:
        yield f"links    {people_text}: no value can be pinned on anybody"
        return
    lying = answers_in(run.scenario) is AnswerKind.REPORTS
    yield f"links    {people_text}" + (", to reports that they had randomized" if lying else "")
    names, name = columns(run), person_of(run)
    people = sorted(view.pinned.items())
    for user, row in people if shows_all else people[:PEOPLE]:
        values = "  ".join(f"{names[column]}={row[column]}" for column in sorted(row))
        yield f"         {name(user)}  {values}"
    if len(people) > PEOPLE and not shows_all:
        yield f"         ... and {len(people) - PEOPLE:,} more (--all)"


def _record(run: "Run", view: "View") -> "ShownView":
    """Return the view of a coalition as the record that `--format json` prints."""
    from ...analysis.trust import users_linked
    from ...scenarios.records.verification.views import columns, person_of
    from ..text.records import ShownCounts, ShownLayers, ShownView

    names, name = columns(run), person_of(run)
    counts = (
        ShownCounts(
            counted.round,
            tuple(names[column] for column in counted.columns),
            tuple((*values, people) for values, people in sorted(counted.counts.items())),
            UNSET if counted.among is None else tuple(map(name, sorted(counted.among))),
        )
        for counted in view.counted
    )
    pinned = {
        name(user): {names[column]: value for column, value in sorted(row.items())}
        for user, row in sorted(view.pinned.items())
    }
    return ShownView(
        tuple(sorted(view.parties)),
        tuple(_event(event) for event in view.events),
        tuple(ShownLayers(number, *layers) for number, layers in view.opened.items()),
        tuple(counts),
        users_linked(view),
        pinned,
    )


def _event(event: "Event") -> "ShownEvent":
    """Return the record of an event on the network, with the names of its ciphertexts in hex."""
    from ...protocol.knowledge.transcript import split_names
    from ..text.records import ShownEvent

    return ShownEvent(
        event.time,
        event.sender,
        event.receiver,
        event.kind.name.lower() if event.kind else None,
        event.round,
        event.size,
        event.messages,
        tuple(name.hex() for name in split_names(event.names)),
    )
