"""The page of a sweep (runs over a grid of settings): each score against the swept settings."""

from collections.abc import Iterator
from itertools import product

from ..number_text import plural, sentence
from ..presentation.blocks import Alert, Block, FigureRow, Page, Section, VerdictAnswer, worst_first
from ..presentation.presenters.sweep import constant_text, points_grid
from ..presentation.text_blocks import Grid, Line, PageNumbers
from ..scenarios.studies.sweeps.sweep_file import (
    Point,
    SweepLine,
    has_release,
    smallest_coalition,
)
from ..scenarios.studies.sweeps.sweep_runs import Sweep
from ..scenarios.studies.sweeps.sweep_scores import panels_of, scored
from .sweep_panels import Axes, panels

# Largest number of combinations of values of the third and further settings that have panels (small
# figures). The table has all combinations.
MULTIPLES = 8
KNOWS = (
    "Means over independent runs; the intervals are Student's, 95 %, and of shares of runs those "
    "of Clopper and Pearson. Made from the file of a sweep by veilmix; nothing on this page is "
    "loaded from anywhere."
)


def page(study: Sweep) -> Page:
    """Make the page of a sweep (runs over a grid of settings).

    It shows every score with its mean and 95 % interval at each point of the grid.
    """
    axes = study.axes
    names = sorted({str(line.result.get("scenario", "?")) for line in study.lines})
    runs = [len(lines) for lines in study.groups().values()]
    sections = tuple(_sections(study))
    about = (
        plural(len(study.lines), "run"),
        plural(len(runs), "point"),
        " x ".join(f"{key} ({len(values)})" for key, values in axes.items()),
        f"{min(runs)} to {max(runs)} runs a point" if min(runs) < max(runs) else
        f"{plural(runs[0], 'run')} a point",
    )  # fmt: skip
    title = f"Sweep of {', '.join(names)}"
    return Page(title, about, tuple(_alerts(study)), tuple(_verdict(study)), sections, KNOWS)


def _alerts(study: Sweep) -> Iterator[Alert]:
    """Yield alerts on runs that are cut off, that crashed, or that broke the certified bound."""
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
    """Whether the exposure of a run is above its certified bound."""
    result = line.result
    exposure = result.get("exposure") or {}
    decision = result.get("release") and result.get("decision")
    return bool(decision) and exposure["true"] > exposure["promised"]


def point_text(point: Point) -> str:
    """Return a point of a sweep's grid as text: `key = value` for each swept setting."""
    return ", ".join(f"{key} = {value}" for key, value in point) or "the only point"


def _verdict(study: Sweep) -> Iterator[VerdictAnswer]:
    """Yield the answers at the top: released runs, bounds that held, smallest linking coalition."""
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
    """Return the minimum and maximum, over runs, of the size of the smallest linking coalition.

    A linking coalition can attach values to people by name. None if no run has such a coalition.
    """
    sizes = [
        int(size) for line in study.lines if (size := smallest_coalition(line.result)) is not None
    ]
    return (min(sizes), max(sizes)) if sizes else None


def _sections(study: Sweep) -> Iterator[Section]:
    """Yield the section on scores, with a panel (small figure) for each, and one on the runs."""
    axes = study.axes
    keys = list(axes)
    estimated = scored(study.lines)
    swept = panels_of(study.lines, estimated)
    scores = sorted(estimated, key=lambda score: _rank(score[0], axes))
    blocks: list[Block] = []
    if axes:
        words = f"Across: {keys[0]}." + (f" A line for each {keys[1]}." if len(keys) > 1 else "")
        blocks.append(Line(words))
        for place, rest in enumerate(_rests(axes)):
            if rest:
                blocks.append(Line(f"Where {point_text(rest)}:"))
            blocks.append(FigureRow(tuple(panels(f"{place}", rest, axes, swept))))
    if constant := constant_text(scores):
        blocks.append(Line(sentence(constant)))
    blocks.append(points_grid(keys, scores))
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
    """Return the combinations of values of the third and further swept settings.

    Each combination has its own panels (small figures), because a panel shows only two settings. At
    most MULTIPLES combinations are returned.
    """
    keys = list(axes)[2:]
    rests = [
        tuple(zip(keys, values, strict=True)) for values in product(*(axes[key] for key in keys))
    ]
    return rests[:MULTIPLES]


def _rank(point: Point, axes: Axes) -> list[int]:
    """Return the sort key of a point: the index of its value for each swept setting, in order."""
    where = dict(point)
    return [
        axis_values.index(where[key]) if key in where else -1 for key, axis_values in axes.items()
    ]
