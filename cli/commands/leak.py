"""`veilmix leak`: the knowledge of every coalition of a run, from the views of its members."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ...presentation.presenters import coalitions
from ...presentation.presenters import peers as peer_words
from ...presentation.text_blocks import Grid, Line
from ..text import cheating as cheats
from ..text import search as searches
from ..text.layout import format_option, page, show, write_csv, write_json

if TYPE_CHECKING:
    from ...analysis.trust import Received
    from ...presentation.blocks import Block
    from ...scenarios.records.result_file import Run

SEARCH = (
    click.option(
        "--search",
        "searching",
        is_flag=True,
        help="Search for attacks: play every deviation of every coalition, with six people.",
    ),
    click.option(
        "--pairs",
        is_flag=True,
        help="With --search: play pairs of deviations too, which takes many times as long.",
    ),
    click.option(
        "--times",
        is_flag=True,
        help="With --search: views contain the exact times of posts on the board.",
    ),
    click.option(
        "--strategies",
        type=click.IntRange(0, 1_000_000),
        default=0,
        show_default=True,
        help="With --search: limit of strategies of each coalition; 0: all.",
    ),
)


def search_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a search for attacks to a command, such as `--search` and `--pairs`."""
    for option in reversed(SEARCH):
        command = option(command)
    return command


@click.command("leak")
@click.argument("run")
@click.option(
    "--prior",
    type=click.Choice(["uniform", "marginals"]),
    default="uniform",
    show_default=True,
    help="Prior of all parties: uniform, or the share of every value.",
)
@click.option(
    "--cheating",
    is_flag=True,
    help=(
        "Play the scenario again under every attack of the catalogue, and score"
        " what malicious parties learn."
    ),
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10_000),
    default=5,
    show_default=True,
    help="With --cheating: runs of every attack, saved runs included.",
)
@search_options
@format_option
def command(
    run: str,
    prior: str,
    cheating: bool,  # noqa: FBT001
    runs: int,
    searching: bool,  # noqa: FBT001
    pairs: bool,  # noqa: FBT001
    times: bool,  # noqa: FBT001
    strategies: int,
    form: str,
) -> None:
    """Print the knowledge of every coalition of RUN, from the views of its members.

    These members follow the rules and pool their views. With --cheating: the largest effect of an
    attack of the catalogue on the scenario of RUN with its guards, measured. This effect is a lower
    bound, because attacks are known that the catalogue does not play. The measurements are saved in
    the folder of RUN, for its report, its theatre and the next `leak`. Ctrl-C saves the finished
    part, and the same command continues.

    With --search: strategies of malicious coalitions, derived from the protocol and not from a
    list of attacks, with the guards of RUN and six people. An attack that the search finds is
    written as a scenario file, which `veilmix run` plays.

    Linked: people with a value attached to them. Certain: cells with a single possible value, by
    linking or by the counts. Bits: leakage about the rows of people, per person. Guessed: expected
    number of whole rows that a best guess gets right. Surest: the highest posterior of the true
    row of a person outside the coalition. Coalitions that differ only in their shufflers, and have
    equal figures, share a row; csv and json list each coalition. Of peers, coalitions are grouped
    by size.
    """
    from ...scenarios.records.run_folder import read
    from ..run_lookup import folder

    read_by_search = pairs or times or bool(strategies)
    _check_options(cheating=cheating, searching=searching, narrowed=read_by_search)
    record = read(folder(run))
    if searching:
        searches.searched(record, form, pairs=pairs, times=times, strategies=strategies)
    elif cheating:
        cheats.measured(record, runs, form)
    else:
        _watched(record, prior, form)


def _check_options(*, cheating: bool, searching: bool, narrowed: bool) -> None:
    """Raise a UsageError for options that exclude each other, or that have no effect.

    narrowed: whether an option is given that only a search (`--search`) reads.
    """
    if cheating and searching:
        raise click.UsageError("--cheating and --search exclude each other; leave one of them out")
    if narrowed and not searching:
        raise click.UsageError("--pairs, --times and --strategies are accepted only with --search")


def _watched(record: "Run", prior: str, form: str) -> None:
    """Print the knowledge of honest-but-curious coalitions, from their recorded views.

    prior: `uniform` (all tables equally likely) or `marginals` (the share of every value is public,
    and people are independent). form: `table`, `json` or `csv`.
    """
    from ...scenarios.records.verification.damaged_record import diagnose_record
    from ...scenarios.records.verification.deviations import deviations
    from ...scenarios.records.verification.views import learnt_in
    from ...scenarios.schema.single_rows import require_single_rows

    if prior == "marginals":
        require_single_rows(record.scenario, "leak --prior marginals")
    peers = record.result.peers
    study = cheats.load_study(record)
    with diagnose_record(record):
        views = sorted(learnt_in(record, prior), key=lambda learner: len(learner.parties))
    deviated = deviations(record.scenario, record.result.attacks, record.result.alarms)
    if form == "json":
        from ..text.leak_record import leaked

        write_json(leaked(views, prior, peers, study, deviated))
    elif form == "csv":
        write_csv(peer_words.sizes_numbers(peers) if peers else coalitions.numbers(views))
    else:
        show(page(), _watched_blocks(record, views, coalitions.notes(views, prior), deviated))
        show(page(), cheats.stored_study_blocks(record, study))


def _watched_blocks(
    record: "Run", views: "Sequence[Received]", notes: Iterator[str], deviated: Sequence[str]
) -> Iterator["Block"]:
    """Yield the figures of each coalition's pooled views, as lines and tables to print.

    If a party deviated from the protocol, a warning replaces the verdict on the smallest coalition
    that links people. views: the leakage to each coalition. notes: explanations of the columns.
    deviated: the deviations, a line each.
    """
    from ...scenarios.records.verification.deviations import NOT_BY_WATCHING
    from ...scenarios.records.verification.views import breaking

    table, peers = coalitions.table(views), record.result.peers
    keys = [Line(line, "dim") for line in coalitions.key(views)]
    if deviated:
        yield from (Line(f"!! {line}", "bold red") for line in deviated)
        yield Line(NOT_BY_WATCHING)
        yield Line(
            "what coalitions have from the views of their members, as far as they were recorded:"
        )
        yield Grid(table.headings[:-1], [row[:-1] for row in table.rows], table.right)
        yield from keys
        yield from (Line(line, "dim") for line in notes)
        return
    yield table
    yield from keys
    if not peers:
        yield Line(coalitions.smallest(breaking(views)))
    yield from map(Line, coalitions.requested_lines(record.scenario, views))
    if peers:
        yield from (Line(), *peer_words.followed(peers))
    else:
        yield from (Line(line, "dim") for line in notes)
