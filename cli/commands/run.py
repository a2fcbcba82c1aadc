"""`veilmix run`: play a scenario, print its results, and save them in a run folder."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ...errors import StorageError
from ...presentation.wording import UNSAFE
from ..app import ReaderLeft, Unmet
from ..options import FILE, FILE_THERE, MAX_SEED, NODES, SEED, executor_option, kept_options
from ..text.layout import clean, format_option, write_text

if TYPE_CHECKING:
    from ...crypto.identity import Identity
    from ...roles.network.instruments import Instrument
    from ...scenarios.lab.ledger.book import Ledger
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.records.transcript_writer import TranscriptWriter
    from ...scenarios.schema.model import Scenario

    # the outcome of a run, and a function that returns its transcript, if there is a transcript
    Written = tuple[Outcome, Callable[[], bytes] | None]


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of `veilmix run`, as the user gave them.

    Attributes:
        seed: seed of all randomness; None for the scenario's, else the system's randomness.
        mode: `real` sends every message; `ideal` collects the same answers without messages.
        trace: the messages that are printed: `all`, `short` (many submissions in one line) or
            `none`.
        out: the parent of the run folder; None if the run is not saved.
        form: form of the output: table, json or csv.
        quiet: whether progress is not shown.
        worst_case: limit of nodes in every search tree for the worst table; None for the default.
        figures: whether pictures are drawn.
        ledger: the file of the ledger of earlier runs; None without a ledger.
        processes: whether each party is a process of its own.
        durable: where each process keeps a journal, so that it can continue after it was killed:
            `off`, `tmpfs` or `disk`; None for `off`.
        sign: the identity file that signs the run folder; None if it is not signed.
        executor: name of the executor that encrypts and decrypts long lists of messages.
    """

    seed: int | None
    mode: Literal["real", "ideal"]
    trace: str
    out: Path | None
    form: str
    quiet: bool
    worst_case: int | None
    figures: bool
    ledger: Path | None = None
    processes: bool = False
    durable: str | None = None
    sign: Path | None = None
    executor: str = "process"

    @property
    def recorder(self) -> "Identity | None":
        """The identity that signs the run folder; None if it is not signed."""
        from ...scenarios.records.identity_files import read_identity

        return read_identity(self.sign) if self.sign else None


class TraceCommand(click.Command):
    """A click command that accepts `--trace=all` and `--trace=short` beside the flag `--trace`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace `--trace=all` and `--trace=short` by the spellings of the options, and parse."""
        spelt = {"--trace=all": "--trace-all", "--trace=short": "--trace"}
        return super().parse_args(ctx, [spelt.get(arg, arg) for arg in args])


@click.command("run", cls=TraceCommand)
@click.argument("scenario")
@click.option(
    "--seed",
    type=SEED,
    help=(
        "Seed: makes the run reproducible, and insecure.  [default: the "
        "scenario's, else the system's randomness]"
    ),
)
@click.option(
    "--mode",
    type=click.Choice(["real", "ideal"]),
    default="real",
    show_default=True,
    help="Send real messages, or collect the same answers without messages.",
)
@click.option(
    "--trace",
    "trace",
    flag_value="short",
    default=None,
    help=(
        "Print a line for every message; one line for more than 200 equal ones "
        "(--trace=all: every message)."
    ),
)
@click.option("--trace-all", "trace", flag_value="all", hidden=True)
@kept_options
@format_option
@click.option(
    "--figures",
    is_flag=True,
    help="Draw the estimates and epsilons of randomized answers in the run folder's figures/.",
)
@click.option(
    "--quiet", is_flag=True, help="Print only the folder of the run: no progress, no report."
)
@click.option(
    "--worst-case",
    type=NODES,
    help=(
        "Search the exact worst case, with this limit of nodes in every search "
        "tree, even if its bounds are close; 0: no search.  [default: 100, "
        "where the bounds leave open more than 0.2 % of the people and the "
        "table has up to 100 cells]"
    ),
)
@click.option(
    "--ledger",
    type=FILE,
    metavar="FILE",
    help=(
        "Ledger of earlier runs, to which this run is added. [policy] ledger "
        "decides whether releases that could be subtracted or joined are "
        "refused, or only warned of."
    ),
)
@click.option(
    "--processes",
    is_flag=True,
    help="Run every party in its own process, connected by TLS on this computer (Linux).",
)
@click.option(
    "--durable",
    type=click.Choice(["off", "tmpfs", "disk"]),
    help=(
        "With --processes: where each party keeps a journal, to go on if it is "
        "killed. off: no journal, a killed party is lost with its key; tmpfs: "
        "in memory; disk: on the disk, where keys and messages can be read "
        "until the session ends.  [default: off]"
    ),
)
@executor_option("process", "Where more than 128 messages at a time are sealed and opened")
@click.option(
    "--sign",
    type=FILE_THERE,
    metavar="FILE",
    help="Sign the run folder with an identity: the file NAME.key.toml of `veilmix keys`.",
)
def command(
    scenario: str,
    seed: int | None,
    mode: Literal["real", "ideal"],
    trace: str | None,
    out: Path,
    ledger: Path | None,
    sign: Path | None,
    *,
    no_save: bool,
    form: str,
    figures: bool,
    quiet: bool,
    worst_case: int | None,
    processes: bool,
    durable: str | None,
    executor: str,
) -> None:
    """Play SCENARIO (a file, or a shipped name) and print the release and the scores.

    csv is the release, json is result.json. A scenario with `repeat` is played that often, with
    consecutive seeds from its own seed on. Each run is saved, and means with 95 % intervals are
    printed.
    """
    from ...scenarios.lab.validation.load import load

    place = None if no_save else out
    wish = Wish(
        seed=seed,
        mode=mode,
        trace=trace or "none",
        out=place,
        form=form,
        quiet=quiet,
        worst_case=worst_case,
        figures=figures,
        ledger=ledger,
        processes=processes,
        durable=durable,
        sign=sign,
        executor=executor,
    )
    _check_options(wish)
    loaded = load(scenario)
    _check_figures(loaded, wish)
    outcomes: list[Outcome] = []
    folders: list[Path] = []
    trouble = None
    for outcome, transcript in _played(loaded, wish):
        outcomes.append(outcome)
        trouble = trouble or _save_run(outcome, wish, folders, transcript)
        if trouble:
            break
    try:
        _print(outcomes, folders, wish)
    # stdout was closed; the exit code must still report a failed expectation
    except BrokenPipeError:
        _judge(outcomes)
        raise
    if trouble:
        raise trouble
    _judge(outcomes)


def _check_options(wish: Wish) -> None:
    """Raise UsageError if options conflict; StorageError if a run could not be saved or signed."""
    if wish.durable and not wish.processes:
        raise click.UsageError(
            "--durable: accepted only with --processes; a run in one process writes no journal"
        )
    from ...scenarios.records.run_folder import unwritable

    _ = wish.recorder
    if wish.out is not None and (wrong := unwritable(wish.out)):
        raise wrong


def _check_figures(scenario: "Scenario", wish: Wish) -> None:
    """Raise a DataError, before the run, if `--figures` cannot be drawn or saved."""
    if not wish.figures:
        return
    from ...analysis import drawing
    from ...errors import DataError
    from ...scenarios.programs.registry import randomizing

    drawing.require()
    if wish.out is None:
        raise DataError(
            "--figures: figures are saved in the run folder; leave out --no-save, or --figures"
        )
    if scenario.policy.kind not in randomizing():
        kinds = " or ".join(f'"{kind}"' for kind in randomizing())
        raise DataError(
            f"--figures: these figures show randomized answers, policy.kind = {kinds}; for this "
            f'scenario (kind = "{scenario.policy.kind}") `veilmix report` draws figures'
        )


def _drawn(outcome: "Outcome", folder: Path) -> None:
    """Draw the figures of a run into its folder, and print their paths.

    Only runs with randomized answers, and runs in which people answer with sets, have figures.
    """
    from ...analysis.figures import incidence as sets_figure
    from ...analysis.figures import randomized as noise_figure
    from ...scenarios.programs.incidence.score import IncidenceFindings
    from ...scenarios.programs.randomized.score import Randomized
    from ...scenarios.serialization.record import plain
    from ..text.layout import page, say
    from ..text.picture_files import make, write

    match outcome.findings:
        case Randomized():
            drawn = noise_figure.figures(plain(outcome.findings))
        case IncidenceFindings():
            drawn = sets_figure.figures(plain(outcome.findings))
        case _:  # the round was aborted, so there are no results to draw
            return
    place = folder / "figures"
    make(place)
    for figure in drawn:
        for path in write(figure, place):
            say(page(err=True), f"drawn     {clean(str(path))}")


def _played(scenario: "Scenario", wish: Wish) -> "Iterator[Written]":
    """Play a scenario as often as its `repeat` says, with the executor of the options.

    Yields, for each run, its outcome and a function that returns its transcript.
    """
    from ...roles.compute.backend import LOCAL_WORKPLACE
    from ...roles.compute.backends import workplace
    from ...scenarios.lab.play.run import run
    from ...scenarios.records.transcript_writer import writing_ahead

    with workplace(wish.executor) as place:
        # A forked copy of this process may encode a long transcript. With a cluster there is no
        # copy, as a process with the threads of a cluster's client cannot be forked safely.
        copies = place == LOCAL_WORKPLACE and wish.out is not None
        open_writer = partial(writing_ahead, copies=copies)
        yield from _runs(scenario, wish, partial(run, workplace=place), open_writer)


def _runs(
    scenario: "Scenario",
    wish: Wish,
    run: "Callable[..., Outcome]",
    writing_ahead: "Callable[[], AbstractContextManager[TranscriptWriter]]",
) -> "Iterator[Written]":
    """Play a scenario as often as its `repeat` says, each time with the next seed.

    Yields, for each run, its outcome and a function that returns its transcript. run: plays the
    scenario once. writing_ahead: opens the writer of a transcript, which already writes during the
    run.
    """
    seed = scenario.scenario.seed if wish.seed is None else wish.seed
    for number in range(scenario.scenario.repeat):
        run_seed = None if seed is None else min(seed + number, MAX_SEED)
        with (
            watching(scenario, wish) as instruments,
            _ledger(wish) as book,
            writing_ahead() as writer,
        ):
            outcome = run(
                scenario,
                run_seed,
                wish.mode,
                instruments=instruments,
                report=lambda line: click.echo(f"note: {line}", err=True),
                worst_case_nodes=wish.worst_case,
                ledger=book,
                processes=wish.processes,
                durable=wish.durable or "off",
                recorded=writer.begin,
            )
            yield outcome, writer.text


def _ledger(wish: Wish) -> "AbstractContextManager[Ledger | None]":
    """Return a context with the open ledger of earlier runs; its value is None without a ledger."""
    if wish.ledger is None:
        return nullcontext()
    from ...scenarios.lab.ledger.book import opened

    return opened(wish.ledger)


@contextmanager
def watching(scenario: "Scenario", wish: Wish) -> "Iterator[Sequence[Instrument]]":
    """Yield the instruments that show a run while it is played: a trace, a progress bar or ()."""
    if wish.mode == "ideal":
        yield ()
    elif wish.trace != "none":
        from ..text.narrator import Narrator

        # with JSON and CSV the trace goes to stderr, because stdout is for data only
        program = wish.form != "table"
        yield (Narrator(_teller(err=program), all_of_it=wish.trace == "all"),)
    elif wish.quiet or not sys.stderr.isatty():
        yield ()
    else:
        from ..text.progress import bar

        with bar(scenario.population.users) as progress_bar:
            yield (progress_bar,)


def _teller(*, err: bool) -> Callable[[str], None]:
    """Return a function that prints a line of the run's trace (a line for each message).

    The printing function ends the run if the program that reads the trace has closed the pipe. err:
    print on stderr.
    """
    has_left = False

    def print_line(line: str) -> None:
        """Print a line of the trace; stop after the reader of the pipe has ended."""
        nonlocal has_left
        try:
            if not has_left:
                click.echo(clean(line), err=err)
        # ReaderLeft is a BaseException, so it ends the run. After an ordinary exception the run
        # would go on without its trace.
        except BrokenPipeError:
            has_left = True
            raise ReaderLeft from None

    return print_line


def _save_run(
    outcome: "Outcome",
    wish: Wish,
    folders: list[Path],
    transcript: Callable[[], bytes] | None,
) -> StorageError | None:
    """Save a run, append its folder to `folders`, and draw its figures if requested.

    wish: the options of the command. transcript: returns the transcript in bytes; None: there is no
    transcript. A StorageError is returned, not raised, so that the results of the run are printed
    first.
    """
    from ...scenarios.records.run_folder import save

    if wish.out is not None:
        try:
            folders.append(save(outcome, wish.out, None, wish.recorder, transcript))
            if wish.figures:
                _drawn(outcome, folders[-1])
        except StorageError as wrong:
            return wrong
    return None


def _print(outcomes: "Sequence[Outcome]", folders: Sequence[Path], wish: Wish) -> None:
    """Print the results of all runs as a table, JSON or CSV, and the paths of their run folders."""
    if wish.form == "table":
        if not wish.quiet:
            _report(outcomes)
        _where(outcomes, folders, quiet=wish.quiet)
        return
    from ..text import alerts
    from ..text.layout import page, show

    show(page(err=True), alerts.alert_blocks(outcomes, only_serious=True))
    if len(outcomes) > 1:
        from ..text import repetitions as repeats
        from ..text.layout import write_csv, write_json

        if wish.form == "json":
            write_json(repeats.record(outcomes))
        else:
            write_csv(repeats.grid(outcomes))
    elif wish.form == "json":
        from ..text.layout import write_json

        write_json(outcomes[0].result())
    else:
        from ...scenarios.records.run_folder import release_csv

        release = outcomes[0].written().release
        write_text(release_csv(release) if release else "")


def _report(outcomes: "Sequence[Outcome]") -> None:
    """Print the results of a run for people; for several runs, means with 95 % intervals.

    The alerts of the runs, such as alarms that parties raised, follow.
    """
    from ..text import alerts
    from ..text.layout import page, show

    if len(outcomes) == 1:
        from ...presentation.presenters import run as story

        show(page(), story.run_blocks(outcomes[0]))
    else:
        from ..text import repetitions as repeats

        show(page(), repeats.repetition_blocks(outcomes))
    show(page(), alerts.alert_blocks(outcomes))


def _where(outcomes: "Sequence[Outcome]", folders: Sequence[Path], *, quiet: bool) -> None:
    """Print the paths of the run folders, and the command that shows the last run.

    quiet: print the paths only.
    """
    if quiet:
        for folder in folders:
            click.echo(str(folder))
    elif len(folders) == 1:
        folder = folders[0]
        view = f"leak {folder}" if outcomes[0].peers else f"show {folder} --as curator"
        click.echo(f"\nsaved {folder}/   next: veilmix {view}")
    elif folders:
        click.echo(
            f"\nsaved {len(folders)} runs, {folders[0]}/ to {folders[-1]}/   "
            f"next: veilmix leak {folders[-1]}"
        )


def _judge(outcomes: "Sequence[Outcome]") -> None:
    """Raise Unmet (exit code 3) if an expectation failed, or if there is no release.

    A scenario that expects no release (`kept = []`) has met its expectation.
    """
    wrong: Counter[str] = Counter()
    for outcome in outcomes:
        wrong.update(outcome.failed)
        if not outcome.released and outcome.scenario.expect.kept != ():
            why = outcome.burned or UNSAFE
            wrong[f"nothing could be released: {why}"] += 1
    if wrong:
        runs = f" ({{}} of {len(outcomes)} runs)" if len(outcomes) > 1 else ""
        lines = [line + runs.format(times) for line, times in wrong.items()]
        raise Unmet("\n       ".join(lines))
