"""The output of `veilmix run` for repeated runs: the mean of each score with its 95 % interval."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...presentation.presenters.run import head, summary
from ...presentation.presenters.run_scores import randomized
from ...presentation.text_blocks import Grid, Line
from ...scenarios.serialization.record import Record, plain
from ...scenarios.studies.sweeps.repetitions import Study, kept_promises
from ...scenarios.studies.sweeps.sweep_file import mean_scores
from ...scenarios.studies.sweeps.sweep_scores import UNITS
from .records import MeanScore

if TYPE_CHECKING:
    from ...analysis.estimation.mean_interval import MeanEstimate
    from ...presentation.blocks import Block
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.lab.scoring.result import Result


class ReleasedColumns(Record, frozen=True):
    """A set of columns that runs released together, and the number of these runs.

    Attributes:
        columns: names of the columns.
        runs: number of runs.
    """

    columns: tuple[str, ...]
    runs: int


class RepeatedRuns(Record, frozen=True):
    """The output of `veilmix run` on several runs of one scenario, as JSON.

    Attributes:
        scores: mean scores over all runs.
        released: each set of columns that was released.
        promise: in how many runs the certified bound held; None if people randomize their answers.
        runs: the result.json of each run.
    """

    scores: tuple[MeanScore, ...]
    released: tuple[ReleasedColumns, ...]
    promise: Study | None
    runs: tuple["Result", ...]


def estimates(results: "Sequence[Result]") -> list["MeanEstimate"]:
    """Return the mean of each score with its interval, over the results that have this score."""
    return list(mean_scores([plain(result) for result in results]))


def grid(outcomes: "Sequence[Outcome]") -> Grid:
    """Return a table of the mean scores: unit, mean, ends of the interval, number of runs."""
    rows = [
        (each.score, UNITS[each.score], f"{each.mean:.4g}", *_ends(each), each.runs)
        for each in estimates([outcome.written() for outcome in outcomes])
    ]
    return Grid(("score", "unit", "mean", "95 % from", "to", "runs"), rows, (2, 3, 4, 5))


def _ends(each: "MeanEstimate") -> tuple[str, str]:
    """Return both ends of a confidence interval as text; two dashes if there is no interval."""
    return ("-", "-") if each.interval is None else (f"{each.low:.4g}", f"{each.high:.4g}")


def record(outcomes: "Sequence[Outcome]") -> RepeatedRuns:
    """Return the mean scores and the results of all runs as a record for JSON."""
    results = tuple(outcome.written() for outcome in outcomes)
    return RepeatedRuns(
        tuple(MeanScore.from_estimate(each, UNITS[each.score]) for each in estimates(results)),
        tuple(ReleasedColumns(columns, runs) for columns, runs in summary(outcomes).items()),
        None if randomized(outcomes[0]) else kept_promises(outcomes),
        results,
    )


def repetition_blocks(outcomes: "Sequence[Outcome]") -> Iterator["Block"]:
    """Yield the report of repeated runs as lines and tables to print."""
    yield from head(outcomes[0])
    yield Line(f"  {len(outcomes):,} independent runs\n")
    yield grid(outcomes)
    yield Line()
    if not randomized(outcomes[0]):
        yield Line(str(kept_promises(outcomes)))
        yield Line()
    rows = [
        (" x ".join(columns) or "nothing", runs)
        for columns, runs in sorted(summary(outcomes).items(), key=lambda item: -item[1])
    ]
    yield Grid(("released", "runs"), rows, (1,))
