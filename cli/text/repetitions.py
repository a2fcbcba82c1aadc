"""Several independent runs of one scenario: the mean of each score with its 95 % interval."""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from ...analysis.estimation.mean_interval import MeanEstimate, estimate
from ...scenarios.lab.scoring.result import Result
from ...scenarios.serialization.record import Record
from ...scenarios.studies.sweeps.repetitions import Study, kept_promises
from .layout import Block, Grid, Line
from .records import MeanScore
from .run import head, summary
from .run_scores import randomized

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Outcome


class ReleasedColumns(Record, frozen=True):
    """A set of released columns, and the number of runs that released it.

    Attributes:
        columns: their names.
        runs: number of runs.
    """

    columns: tuple[str, ...]
    runs: int


class RepeatedRuns(Record, frozen=True):
    """The output of `veilmix run` on several runs of one scenario.

    Attributes:
        scores: mean scores over all runs.
        released: each set of columns that was released.
        promise: how often the certified bound held; None if people randomize their answers.
        runs: the result.json of each.
    """

    scores: tuple[MeanScore, ...]
    released: tuple[ReleasedColumns, ...]
    promise: Study | None
    runs: tuple[Result, ...]


# score, its maximum (the minimum is 0), function that reads it; None if a run lacks the score
SCORES: tuple[tuple[str, float, "Callable[[Outcome], float | None]"], ...] = (
    ("true exposure", 1, lambda o: o.exposure.true if o.released and o.decision else None),
    ("promised exposure", 1, lambda o: o.exposure.promised if o.released and o.decision else None),
    ("worst possible exposure, at least", 1, lambda outcome: _worst(outcome, 0)),
    ("worst possible exposure, at most", 1, lambda outcome: _worst(outcome, 1)),
    ("columns released", inf, lambda o: None if randomized(o) else len(o.kept) * o.released),
    ("largest error of a share", inf, lambda o: _error(o, "randomized", "largest_error")),
    ("mean error of a share", inf, lambda o: _error(o, "randomized", "mean_error")),
    ("largest error of a count", inf, lambda o: _error(o, "incidence", "largest_error")),
    ("released at all", 1, lambda outcome: float(outcome.released)),
    ("linked by the curator", inf, lambda outcome: _curator(outcome, "linked")),
    ("bits a person, curator", inf, lambda outcome: _curator(outcome, "bits_per_person")),
)


def _worst(outcome: "Outcome", end: int) -> float | None:
    """Return the lower (0) or upper (1) bound of the worst case; None if it was not computed."""
    bounds = outcome.exposure.worst_shares
    return None if bounds is None else bounds[end]


def _curator(outcome: "Outcome", score: str) -> float | None:
    """Return a score of the curator; None among peers."""
    return None if outcome.peers else getattr(outcome.coalition("curator"), score)


def _error(outcome: "Outcome", program: str, field_name: str) -> float | None:
    """Return an error of a program's estimates; None for a run of another program."""
    findings = outcome.findings
    if findings is None or findings.__struct_config__.tag != program:
        return None
    error: float | None = getattr(findings, field_name)
    return error


def estimates(outcomes: "Sequence[Outcome]") -> list[MeanEstimate]:
    """Estimate each score over the runs that have it."""
    estimated = []
    for name, maximum, score in SCORES:
        values = [value for value in map(score, outcomes) if value is not None]
        if values:
            estimated.append(estimate(name, values, 0.0, maximum))
    return estimated


def grid(outcomes: "Sequence[Outcome]") -> Grid:
    """Return the estimates as a table."""
    rows = [
        (each.score, f"{each.mean:.4g}", *_ends(each), each.runs) for each in estimates(outcomes)
    ]
    return Grid(("score", "mean", "95 % from", "to", "runs"), rows, (1, 2, 3, 4))


def _ends(each: MeanEstimate) -> tuple[str, str]:
    """Return the ends of an interval as text; two dashes if it is missing."""
    if each.interval is None:
        return "-", "-"
    low, high = each.interval
    return f"{low:.4g}", f"{high:.4g}"


def record(outcomes: "Sequence[Outcome]") -> RepeatedRuns:
    """Return the estimates and all results, for programs."""
    return RepeatedRuns(
        tuple(MeanScore.from_estimate(each) for each in estimates(outcomes)),
        tuple(ReleasedColumns(columns, runs) for columns, runs in summary(outcomes).items()),
        None if randomized(outcomes[0]) else kept_promises(outcomes),
        tuple(outcome.written() for outcome in outcomes),
    )


def repetition_blocks(outcomes: "Sequence[Outcome]") -> Iterator[Block]:
    """Yield the report of all runs."""
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
