"""The page of a sweep: every score against the swept keys, with its 95 % interval."""

from collections.abc import Iterator
from itertools import product

from ..analysis.estimation.mean_interval import MeanEstimate
from ..number_text import interval, plural
from ..presentation.blocks import (
    Alert,
    Block,
    FigureRow,
    Grid,
    Line,
    Page,
    PageNumbers,
    Section,
    VerdictAnswer,
    worst_first,
)
from ..presentation.svg import number
from ..scenarios.studies.sweeps.sweep_file import (
    SCORES,
    Point,
    SweepLine,
    columns_released,
    estimates,
    has_release,
    smallest_coalition,
)
from ..scenarios.studies.sweeps.sweep_runs import Sweep
from .sweep_panels import Axes, Scored, SweptGrid, means_of, panels

MULTIPLES = 8  # combinations of further keys that have panels; the table has them all
KNOWS = (
    "Means over independent runs; the intervals are Student's, 95 %, and of shares of runs those "
    "of Clopper and Pearson. Made from the file of a sweep by veilmix; nothing on this page is "
    "loaded from anywhere."
)


def page(study: Sweep) -> Page:
    """Make the page of a sweep."""
    axes = study.axes
    scored: Scored = {
        point: {estimate.score: estimate for estimate in estimates(lines)}
        for point, lines in study.groups().items()
    }
    names = sorted({str(line.result.get("scenario", "?")) for line in study.lines})
    runs = [len(lines) for lines in study.groups().values()]
    sections = tuple(_sections(study, scored))
    about = (
        plural(len(study.lines), "run"),
        plural(len(scored), "point"),
        " x ".join(f"{key} ({len(values)})" for key, values in axes.items()),
        f"{min(runs)} to {max(runs)} runs a point" if min(runs) < max(runs) else
        f"{plural(runs[0], 'run')} a point",
    )  # fmt: skip
    title = f"Sweep of {', '.join(names)}"
    return Page(title, about, tuple(_alerts(study)), tuple(_verdict(study)), sections, KNOWS)


def _alerts(study: Sweep) -> Iterator[Alert]:
    alerts = []
    if study.cut:
        text = "The last line of the file was being written when the sweep stopped."
        todo = "Start the sweep again with the same file: it goes on where it stopped."
        alerts.append(Alert("note", "cut", "One run is cut off", text, todo))
    if study.failed:
        where = "; ".join(dict.fromkeys(point_text(line.point) for line in study.failed[:3]))
        text = f"At {where}. They are in none of the means."
        todo = "The file says how each ended; `veilmix sweep --resume` tries them again."
        title = f"{plural(len(study.failed), 'run')} crashed"
        alerts.append(Alert("warning", "crashed", title, text, todo, len(study.failed)))
    broken = [line for line in study.lines if _broken(line)]
    if broken:
        where = "; ".join(dict.fromkeys(point_text(line.point) for line in broken[:3]))
        alerts.append(
            Alert(
                "serious",
                "broken",
                f"The promise does not hold in {plural(len(broken), 'run')}",
                f"More people were exposed than was promised, at {where}.",
                "In the statistical setting a promise may fail with probability delta.",
                len(broken),
            )
        )
    seeds = [line.seed for line in study.lines if line.seed is not None]
    if seeds:
        text = f"{len(seeds)} of {len(study.lines)} runs: reproducible, and not secret."
        alerts.append(Alert("note", "seeded", "Seeded runs", text))
    single = [point for point, lines in study.groups().items() if len(lines) == 1]
    if single:
        text = f"{plural(len(single), 'point')} of the grid: a mean of one run has no interval."
        alerts.append(
            Alert("warning", "single", "Points with one run only", text, "Repeat the sweep.")
        )
    versions = sorted({line.version for line in study.lines})
    if len(versions) > 1:
        text = f"Runs of veilmix {', '.join(versions)} are put together here."
        alerts.append(Alert("warning", "versions", "Several versions of veilmix", text))
    yield from worst_first(alerts)


def _broken(line: SweepLine) -> bool:
    result = line.result
    exposure = result.get("exposure") or {}
    decision = result.get("release") and result.get("decision")
    return bool(decision) and exposure["true"] > exposure["promised"]


def point_text(point: Point) -> str:
    """Return a point of the grid in words."""
    return ", ".join(f"{key} = {value}" for key, value in point) or "the only point"


def _verdict(study: Sweep) -> Iterator[VerdictAnswer]:
    released = sum(has_release(line.result) for line in study.lines)
    total = len(study.lines)
    text = f"Something was released in {released:,} of {total:,} runs."
    yield VerdictAnswer("What was released?", f"{released:,} of {total:,} runs", text)
    decided = [
        line for line in study.lines if line.result.get("release") and line.result.get("decision")
    ]
    if decided:
        kept_promises = sum(not _broken(line) for line in decided)
        max_exposure = max(line.result["exposure"]["true"] for line in decided)
        text = f"The largest true exposure of any run is {100 * max_exposure:.3g} % of its people."
        yield VerdictAnswer(
            "Did promises hold?", f"{kept_promises:,} of {len(decided):,} releases", text
        )
    fewest = _smallest_coalitions(study)
    if fewest:
        low, high = fewest
        short = f"{low} to {high} parties" if low < high else f"{low} parties"
        text = (
            "The size of the smallest coalition that links anybody while it keeps to the rules, "
            "over all runs."
        )
        yield VerdictAnswer("Who must collude?", short, text)


def _smallest_coalitions(study: Sweep) -> tuple[int, int] | None:
    sizes = [
        int(size) for line in study.lines if (size := smallest_coalition(line.result)) is not None
    ]
    return (min(sizes), max(sizes)) if sizes else None


def _sections(study: Sweep, scored: Scored) -> Iterator[Section]:
    axes = study.axes
    keys = list(axes)
    blocks: list[Block] = []
    columns = {point: columns_released(lines) for point, lines in study.groups().items()}
    grid = SweptGrid(axes, columns)
    if axes:
        words = f"Across: {keys[0]}." + (f" A line for each {keys[1]}." if len(keys) > 1 else "")
        blocks.append(Line(words))
        for place, rest in enumerate(_rests(axes)):
            if rest:
                blocks.append(Line(f"Where {point_text(rest)}:"))
            blocks.append(FigureRow(tuple(panels(f"{place}", rest, grid, scored))))
    constant_scores = [
        f"{score} {number(means_of(score, scored).pop())} ({unit})"
        for score, unit, _ in SCORES
        if len(means_of(score, scored)) == 1
    ]
    if constant_scores:
        blocks.append(Line(f"The same at every point: {'; '.join(constant_scores)}."))
    blocks.append(_table(axes, scored))
    lead = "The mean of each score over the runs of a point, with its 95 % interval."
    yield Section("scores", "Scores", lead, tuple(blocks))
    seeds = sorted({line.seed for line in study.lines if line.seed is not None})
    seed_range = f"{seeds[0]} to {seeds[-1]}" if seeds else "none (system randomness)"
    rows = [
        ("file", study.path.name),
        ("seeds", seed_range),
        ("veilmix", ", ".join(sorted({line.version for line in study.lines}))),
        *((key, ", ".join(map(str, values))) for key, values in axes.items()),
    ]
    provenance = Grid(("what", "value"), rows, caption="What it was made with")
    plain = [
        (*(line.key.get(key) for key in axes), line.seed, line.version, line.result.get("digest"))
        for line in study.lines
    ]
    numbers = PageNumbers("runs", (*axes, "seed", "version", "digest"), plain)
    each = [[str(cell) if cell is not None else "-" for cell in row] for row in plain]
    runs = Grid((*axes, "seed", "version", "digest"), each, (), "Every run", numbers, folded=True)
    lead = "A run with the same scenario, key and seed has the same digest."
    yield Section("repeat", "How to reproduce it", lead, (provenance, runs))


def _rests(axes: Axes) -> list[Point]:
    """Return the combinations of the third and further keys: each has its own panels."""
    keys = list(axes)[2:]
    rests = [
        tuple(zip(keys, values, strict=True)) for values in product(*(axes[key] for key in keys))
    ]
    return rests[:MULTIPLES]


def _rank(point: Point, axes: Axes) -> list[int]:
    """Return the sort key of a point: by the first key, then the second."""
    where = dict(point)
    return [
        axis_values.index(where[key]) if key in where else -1 for key, axis_values in axes.items()
    ]


def _table(axes: Axes, scored: Scored) -> Grid:
    keys = list(axes)
    scored_names = [name for name, _, _ in SCORES if any(name in each for each in scored.values())]
    # What is the same at every point is said in words, once; alone it would leave no table.
    names = [name for name in scored_names if len(means_of(name, scored)) > 1] or scored_names
    rows, plain = [], []
    for point, each in sorted(scored.items(), key=lambda group: _rank(group[0], axes)):
        where = dict(point)
        runs = max((estimate.runs for estimate in each.values()), default=0)
        cells = [_written(each[name]) if name in each else "-" for name in names]
        rows.append([*(str(where.get(key, "-")) for key in keys), str(runs), *cells])
        plain += [
            [
                *(where.get(k) for k in keys),
                name,
                estimate.runs,
                estimate.mean,
                *(estimate.interval or (None, None)),
            ]
            for name, estimate in each.items()
        ]
    numbers = PageNumbers("sweep", (*keys, "score", "runs", "mean", "low_95", "high_95"), plain)
    right = tuple(range(len(keys), len(keys) + 1 + len(names)))
    caption = "Every point: the mean with its 95 % interval"
    return Grid((*keys, "runs", *names), rows, right, caption, numbers)


def _written(estimate: MeanEstimate) -> str:
    unit = next(unit for name, unit, _ in SCORES if name == estimate.score)
    return interval(estimate.mean, estimate.low, estimate.high, unit)
