"""The page of a sweep: every score against the swept keys, with its 95 % interval."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..analysis.figures.sweep import apart, labelled, places
from ..scenarios.mean import Estimate
from ..scenarios.pages.pieces import (
    Alert,
    Answer,
    Block,
    Cell,
    Figure,
    Grid,
    Numbers,
    Page,
    Row,
    Section,
    Words,
    worst_first,
)
from ..scenarios.pages.svg import MARKS, Plot, number, plot, shorten
from ..scenarios.scoring.result import findings_of
from ..scenarios.studies.sweep_file import SCORES, Line, Point, Sweep, Value, estimates, least
from ..scenarios.wording import interval, many

LINES = 6  # values of the second key that have a line of their own
MULTIPLES = 8  # combinations of further keys that have panels; the table has them all
KNOWS = (
    "Means over independent runs; the intervals are Student's, 95 %, and of shares of runs those "
    "of Clopper and Pearson. Made from the file of a sweep by veilmix; nothing on this page is "
    "loaded from anywhere."
)

Scored = dict[Point, dict[str, Estimate]]
Series = list[tuple[int, Estimate]]  # place on the first key, and the score there


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
        many(len(study.lines), "run"),
        many(len(scored), "point"),
        " x ".join(f"{key} ({len(values)})" for key, values in axes.items()),
        f"{min(runs)} to {max(runs)} runs a point" if min(runs) < max(runs) else
        f"{many(runs[0], 'run')} a point",
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
        title = f"{many(len(study.failed), 'run')} crashed"
        alerts.append(Alert("warning", "crashed", title, text, todo, len(study.failed)))
    broken = [line for line in study.lines if _broken(line)]
    if broken:
        where = "; ".join(dict.fromkeys(point_text(line.point) for line in broken[:3]))
        alerts.append(
            Alert(
                "serious",
                "broken",
                f"The promise does not hold in {many(len(broken), 'run')}",
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
        text = f"{many(len(single), 'point')} of the grid: a mean of one run has no interval."
        alerts.append(
            Alert("warning", "single", "Points with one run only", text, "Repeat the sweep.")
        )
    versions = sorted({line.version for line in study.lines})
    if len(versions) > 1:
        text = f"Runs of veilmix {', '.join(versions)} are put together here."
        alerts.append(Alert("warning", "versions", "Several versions of veilmix", text))
    yield from worst_first(alerts)


def _broken(line: Line) -> bool:
    result = line.result
    exposure = result.get("exposure") or {}
    held = result.get("release") and result.get("decision")
    return bool(held) and exposure["true"] > exposure["promised"]


def point_text(point: Point) -> str:
    """A point of the grid in words."""
    return ", ".join(f"{key} = {value}" for key, value in point) or "the only point"


def _verdict(study: Sweep) -> Iterator[Answer]:
    released = sum(
        bool(line.result.get("release") or findings_of(line.result, "randomized"))
        for line in study.lines
    )
    total = len(study.lines)
    text = f"Something was released in {released:,} of {total:,} runs."
    yield Answer("What was released?", f"{released:,} of {total:,} runs", text)
    decided = [
        line for line in study.lines if line.result.get("release") and line.result.get("decision")
    ]
    if decided:
        held = sum(not _broken(line) for line in decided)
        most = max(line.result["exposure"]["true"] for line in decided)
        text = f"The largest true exposure of any run is {100 * most:.3g} % of its people."
        yield Answer("Did promises hold?", f"{held:,} of {len(decided):,} releases", text)
    fewest = _least(study)
    if fewest:
        low, high = fewest
        short = f"{low} to {high} parties" if low < high else f"{low} parties"
        text = (
            "The size of the smallest coalition that links anybody while it keeps to the rules, "
            "over all runs."
        )
        yield Answer("Who must collude?", short, text)


def _least(study: Sweep) -> tuple[int, int] | None:
    sizes = [int(size) for line in study.lines if (size := least(line.result)) is not None]
    return (min(sizes), max(sizes)) if sizes else None


def _sections(study: Sweep, scored: Scored) -> Iterator[Section]:
    axes = study.axes
    keys = list(axes)
    blocks: list[Block] = []
    if axes:
        words = f"Across: {keys[0]}." + (f" A line for each {keys[1]}." if len(keys) > 1 else "")
        blocks.append(Words(words))
        for place, rest in enumerate(_rests(axes)):
            if rest:
                blocks.append(Words(f"Where {point_text(rest)}:"))
            blocks.append(Row(tuple(_panels(f"{place}", rest, axes, scored))))
    same = [
        f"{score} {number(_means(score, scored).pop())} ({unit})"
        for score, unit, _ in SCORES
        if len(_means(score, scored)) == 1
    ]
    if same:
        blocks.append(Words(f"The same at every point: {'; '.join(same)}."))
    blocks.append(_table(axes, scored))
    lead = "The mean of each score over the runs of a point, with its 95 % interval."
    yield Section("scores", "Scores", lead, tuple(blocks))
    seeds = sorted({line.seed for line in study.lines if line.seed is not None})
    said = f"{seeds[0]} to {seeds[-1]}" if seeds else "none (system randomness)"
    rows = [
        ("file", study.path.name),
        ("seeds", said),
        ("veilmix", ", ".join(sorted({line.version for line in study.lines}))),
        *((key, ", ".join(map(str, values))) for key, values in axes.items()),
    ]
    grid = Grid("What it was made with", ("what", "value"), rows)
    plain = [
        (*(line.key.get(key) for key in axes), line.seed, line.version, line.result.get("digest"))
        for line in study.lines
    ]
    numbers = Numbers("runs", (*axes, "seed", "version", "digest"), plain)
    each = [[str(cell) if cell is not None else "-" for cell in row] for row in plain]
    runs = Grid("Every run", (*axes, "seed", "version", "digest"), each, (), numbers, folded=True)
    lead = "A run with the same scenario, key and seed has the same digest."
    yield Section("repeat", "How to reproduce it", lead, (grid, runs))


def _rests(axes: dict[str, tuple[Value, ...]]) -> list[Point]:
    """The combinations of the third and further keys: each has panels of its own."""
    keys = list(axes)[2:]
    rests = [
        tuple(zip(keys, values, strict=True)) for values in product(*(axes[key] for key in keys))
    ]
    return rests[:MULTIPLES]


def _panels(
    name: str, rest: Point, axes: dict[str, tuple[Value, ...]], scored: Scored
) -> Iterator[Figure]:
    here = {point: each for point, each in scored.items() if set(rest) <= set(point)}
    for place, (score, unit, _) in enumerate(SCORES):
        if len(_means(score, here)) > 1:
            yield _panel(f"{name}-{place}", (score, unit), axes, here)


def _means(score: str, scored: Scored) -> set[float]:
    """The different means of a score; one, where it is the same at every point."""
    return {each[score].mean for each in scored.values() if score in each}


def _panel(
    key: str, what: tuple[str, str], axes: dict[str, tuple[Value, ...]], scored: Scored
) -> Figure:
    """One score against the first key; a line for each value of the second."""
    name, unit = what
    keys = list(axes)
    across = axes[keys[0]]
    lines: tuple[Value | None, ...] = axes[keys[1]][:LINES] if len(keys) > 1 else (None,)
    curves = {line: _series(name, keys, across, line, scored) for line in lines}
    ends = [
        end
        for each in curves.values()
        for _, estimate in each
        for end in (estimate.low, estimate.high)
    ]
    low, high = min(0.0, *ends), max(ends)
    if high <= low:
        high = low + 1.0
    stands = places(across)
    gap = apart(stands)
    picture = plot(
        f"sweep-{key}",
        name,
        f"{name} ({unit}) against {keys[0]}",
        (min(stands) - 0.35 * gap, max(stands) + 0.35 * gap, False),
        (low, high * 1.04 if high > 0 else high, False),
        width=440,
        height=300,
        head=18 if len(lines) > 1 else 0,
    )
    ticks = [(place, shorten(str(value), 10)) for place, value in labelled(stands, across)]
    picture.axes(keys[0], f"{name} ({unit})", ticks, _percents(picture.y.ticks(), unit))
    _draw(picture, curves, stands, 0.5 * gap / max(1, len(lines)))
    if len(lines) > 1:
        picture.strip()
    rows: list[list[Cell | None]] = [
        [across[at], line, estimate.runs, estimate.mean, *(estimate.interval or (None, None))]
        for line, each in curves.items()
        for at, estimate in each
    ]
    second = keys[1] if len(keys) > 1 else "-"
    numbers = Numbers(f"sweep-{name}", (keys[0], second, "runs", "mean", "low_95", "high_95"), rows)
    return Figure(picture.drawing.svg(), f"{name} ({unit}).", numbers)


def _series(
    name: str,
    keys: Sequence[str],
    across: Sequence[Value],
    line: Value | None,
    scored: Scored,
) -> Series:
    """The estimates of one line: the place of each on the first key, ascending."""
    estimates = [
        (across.index(dict(point)[keys[0]]), each[name])
        for point, each in scored.items()
        if name in each and (line is None or dict(point)[keys[1]] == line)
    ]
    return sorted(estimates, key=lambda point: point[0])


def _draw(
    picture: Plot, curves: Mapping[Value | None, Series], stands: Sequence[float], width: float
) -> None:
    """Draw every line with its intervals, side by side. width: of the room of all lines."""
    for series, (line, each) in enumerate(curves.items(), start=1):
        shift = (series - 1 - (len(curves) - 1) / 2) * width * 0.5
        points = [(stands[at] + shift, estimate.mean) for at, estimate in each]
        label = "" if line is None else shorten(str(line), 48 // len(curves))
        picture.curve(points, series, label)
        for at, estimate in each:
            picture.span(stands[at] + shift, estimate.low, estimate.high, f"series s{series}")
            mark = picture.x(stands[at] + shift), picture.y(estimate.mean)
            picture.drawing.mark(mark, MARKS[(series - 1) % len(MARKS)], f"dot s{series}", 3.4)


def _percents(ticks: list[float], unit: str) -> list[tuple[float, str]]:
    if unit.startswith("share"):
        return [(tick, f"{100 * tick:.4g} %") for tick in ticks]
    return [(tick, number(tick)) for tick in ticks]


def _rank(point: Point, axes: dict[str, tuple[Value, ...]]) -> list[int]:
    """Where a point comes: by the first key, then the second."""
    where = dict(point)
    return [all_.index(where[key]) if key in where else -1 for key, all_ in axes.items()]


def _table(axes: dict[str, tuple[Value, ...]], scored: Scored) -> Grid:
    keys = list(axes)
    there = [name for name, _, _ in SCORES if any(name in each for each in scored.values())]
    # What is the same at every point is said in words, once; alone it would leave no table.
    names = [name for name in there if len(_means(name, scored)) > 1] or there
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
    numbers = Numbers("sweep", (*keys, "score", "runs", "mean", "low_95", "high_95"), plain)
    right = tuple(range(len(keys), len(keys) + 1 + len(names)))
    caption = "Every point: the mean with its 95 % interval"
    return Grid(caption, (*keys, "runs", *names), rows, right, numbers)


def _written(estimate: Estimate) -> str:
    unit = next(unit for name, unit, _ in SCORES if name == estimate.score)
    return interval(estimate.mean, estimate.low, estimate.high, unit)
