"""The presenter of a sweep: runs of a scenario with changed values of some keys.

Each combination of values is a point. It shows the mean of each score at each point, with a 95 %
interval.
"""

from collections.abc import Sequence

from ...analysis.estimation.mean_interval import MeanEstimate
from ...number_text import interval
from ...scenarios.studies.sweeps.sweep_scores import HEADINGS, UNITS, Scored, rows, varying
from ..text_blocks import Grid, PageNumbers

NOTE = (
    "\n+- or (from to): 95 % interval of the mean, Student's; where every run is at 0 or at the "
    "most that can be, Clopper and Pearson's"
)
SINGLE = "\none run a point: no intervals; --repeats 10 has them"


def points_grid(keys: Sequence[str], scores: Scored) -> Grid:
    """Return the table of scores at each point, a combination of values of the swept keys.

    Scores that are the same in all runs are left out. keys: the keys of the scenario that are
    swept.
    """
    names = varying(scores)
    lines = []
    for point, estimates in scores:
        by_name, where = {estimate.score: estimate for estimate in estimates}, dict(point)
        runs = max((estimate.runs for estimate in estimates), default=0)
        cells = [_cell(by_name.get(name)) for name in names]
        lines.append((*(str(where.get(key, "-")) for key in keys), runs, *cells))
    right = tuple(range(len(keys), len(keys) + 1 + len(names)))
    numbers = PageNumbers("sweep", (*keys, *HEADINGS), [*rows(scores, keys)])
    caption = "Every point: the mean with its 95 % interval"
    return Grid((*keys, "runs", *names), lines, right, caption, numbers)


def _cell(estimate: MeanEstimate | None) -> str:
    """Return a mean with its 95 % interval as text, or a dash without an estimate."""
    if estimate is None:
        return "-"
    return interval(estimate.mean, estimate.low, estimate.high, UNITS[estimate.score])


def constant_text(scores: Scored) -> str:
    """Return the scores that are the same in all runs, in a clause; empty if all scores vary."""
    names = varying(scores)
    every = {estimate.score: estimate.mean for _, each in scores for estimate in each}
    constant_texts = [
        f"{score} {interval(every[score], every[score], every[score], unit)}"
        for score, unit in UNITS.items()
        if score in every and score not in names
    ]
    if not constant_texts:
        return ""
    return f"the same in every run that has one: {'; '.join(constant_texts)}"


def interval_note(scores: Scored) -> str:
    """Return the meaning of the intervals, or the reason why there are no intervals.

    scores: for each point, a mean of each score over runs. Points with a single run have no
    interval.
    """
    repeated = any(estimate.runs > 1 for _, each in scores for estimate in each)
    return NOTE if repeated else SINGLE
