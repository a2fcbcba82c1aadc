"""The section of a run's page on crowds (equivalence classes) in the columns of the release.

It has a figure of exposure at every k, the release, and a figure for each column.
"""

import re
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...protocol.wire.hiding_rules import HIDDEN
from ...scenarios.lab.scoring.result import WrittenRelease
from ..blocks import Block, FigureRow, PageFigure, Section
from ..svg import Drawing, Plot, plot, shorten
from ..text_blocks import Cell, Grid, Marked, PageNumbers

if TYPE_CHECKING:
    from ...scenarios.studies.exposure.exposure_curves import Curves
    from ..presenters.page_facts import PageFacts

# largest number of people for linear axes of the curves; with more people the axes are logarithmic
DECADES = 100
NAMES = {
    "printed": "Theorems 2 and 3, as printed",
    "refined": "refined bound",
    "coverage": "coverage bound",
}
_NUMBER = re.compile(
    r"\s*[<>]?=?\s*(-?\d+(?:\.\d+)?)(?![\w.])"
)  # matches the number in `7`, `-3`, `10-19`, `> 60`
# values of a column with a bar each, if it has at least 2 more, which share a bar; else all
BARS = 12

EMPTY_RELEASE = WrittenRelease((), ())


def section(facts: "PageFacts") -> Section | None:
    """Return the section on crowds; None if the run has no counts, as with randomized reports."""
    if not facts.result.marginals:
        return None
    blocks: list[Block] = []
    if facts.curves:
        blocks.append(exposure_figure(facts.curves))
    if facts.crowds and facts.released_columns:
        blocks.append(_release(facts))
    blocks.append(FigureRow(tuple(_column(facts, name) for name in facts.result.features)))
    lead = (
        "A crowd is everybody who has the same values in the columns of the release. Exposed at k "
        f"are the people in a crowd smaller than k. {facts.reader} sees the counts of single "
        "columns only, and must prove from these how many are exposed in all columns together."
    )
    if facts.result.several_rows:
        lead = (
            "Persons have several rows. A crowd is the persons with a row of the same values in "
            "the columns of the release; a person is as exposed as its worst row, and may be in "
            f"several crowds. {facts.reader} sees the persons with each value of single columns "
            "only, and must prove from these how many are exposed in all columns together."
        )
    return Section("crowds", "Crowds", lead, tuple(blocks))


def exposure_figure(curves: "Curves") -> PageFigure:
    """Draw the number of exposed people against k: the truth as steps, every bound, the worst case.

    A vertical line marks the run's own k.
    """
    columns_text = " x ".join(curves.columns)
    about = "" if curves.released else " (not released: all columns together)"
    title = f"People exposed at every k: {columns_text}{about}"
    decades = curves.people > DECADES
    top = curves.people
    low = 1.0 if decades else 0.0
    picture = plot(
        "exposure",
        title,
        "; ".join(_spoken(curves)),
        (1, max(curves.people, 2), decades),
        (low, top, decades),
        zero=decades,
    )
    picture.axes("k: the smallest crowd wanted (people)", f"people exposed, of {top:,}")
    picture.upright(curves.k, f"k = {curves.k:,}")
    for series, (rule, people) in enumerate(curves.bounds.items(), start=2):
        picture.curve(list(zip(curves.ks, people, strict=True)), series, NAMES[rule])
    _worst(picture, curves)
    _promised(picture, curves)
    if curves.truth:
        steps = list(zip(curves.truth.breakpoints, curves.truth.people, strict=True))
        steps.append((max(curves.people, steps[-1][0]), steps[-1][1]))
        picture.curve(steps, 1, "truth", steps=True)
    picture.entries.reverse()
    x, y = picture.x.end - 236, picture.floor - 18 * len(picture.entries) - 18
    picture.legend(x, y)
    caption = f"{title}. Everything below a bound is promised; the truth is the laboratory's."
    return PageFigure(picture.drawing.svg(), caption, _numbers(curves))


def _worst(picture: Plot, curves: "Curves") -> None:
    """Draw the worst case over all tables at each k.

    A mark shows the proved upper bound on exposed people. A bar leads to it from the largest number
    that was found, if that is smaller.
    """
    if not curves.worst:
        return
    for worst_case in curves.worst:
        if worst_case.attained_people < worst_case.proven:
            picture.span(worst_case.k, worst_case.attained_people, worst_case.proven, "interval")
        place = picture.x(worst_case.k), picture.y(worst_case.proven)
        picture.drawing.mark(place, "diamond", "worst", 3.6)
    picture.note("worst case over all tables", "diamond", "worst")


def _promised(picture: Plot, curves: "Curves") -> None:
    """Mark the bound that the run promises at its own k; it can lie below all drawn bounds."""
    if curves.promised is None:
        return
    rule, people = curves.promised
    place = picture.x(curves.k), picture.y(people)
    picture.drawing.mark(place, "square", "promised", 4.2)
    picture.note(f"promised: {rule}", "square", "promised")


def _spoken(curves: "Curves") -> Iterator[str]:
    """Yield the content of the figure in words, for readers that cannot see the figure."""
    if curves.truth:
        yield f"in truth {curves.truth(curves.k):,} people are exposed at k = {curves.k:,}"
    if curves.k in curves.ks:
        at = curves.ks.index(curves.k)
        for rule, people in curves.bounds.items():
            yield f"{NAMES[rule]}: at most {people[at]:,}"
    if curves.promised is not None:
        rule, promised_people = curves.promised
        yield f"promised by the run ({rule}): at most {promised_people:,}"
    for worst_case in curves.worst:
        if worst_case.k == curves.k:
            yield f"worst case: {worst_case.attained_people:,} to {worst_case.proven:,}"


def _numbers(curves: "Curves") -> PageNumbers:
    """Return the numbers behind the figure of exposure, a row for each k."""
    rules = tuple(curves.bounds)
    worst = {worst_case.k: worst_case for worst_case in curves.worst}
    ks = sorted({*curves.ks, *(curves.truth.breakpoints if curves.truth else ())})
    rows: list[list[Cell | None]] = []
    for k in ks:
        at = curves.ks.index(k) if k in curves.ks else None
        worst_here = worst.get(k)
        rows.append(
            [
                k,
                curves.truth(k) if curves.truth else None,
                *(None if at is None else curves.bounds[rule][at] for rule in rules),
                worst_here.attained_people if worst_here else None,
                worst_here.proven if worst_here else None,
            ]
        )
    headings = ("k", "truth_people", *(f"{rule}_people" for rule in rules))
    return PageNumbers("exposure", (*headings, "worst_found_people", "worst_proven_people"), rows)


def _release(facts: "PageFacts") -> Grid:
    """Return the table of the release: the people with each combination of values, smallest first.

    Its last column says whether the number of people is `below k` or `k or more`.
    """
    release = facts.result.release or EMPTY_RELEASE
    rows: list[list[str]] = [
        [*map(str, row[:-1]), f"{row[-1]:,}", _mark(int(row[-1]), facts.k)]
        for row in sorted(release.counts, key=lambda row: row[-1])
    ]
    columns = tuple(release.columns)
    return Grid(
        (*columns, "people", "crowd"),
        rows,
        (len(columns),),
        f"The release: {plural(len(rows), 'combination')}, the smallest crowds first",
        PageNumbers("release", (*columns, "people"), release.counts),
    )


def _mark(people: int, k: int) -> Marked:
    """Return `k or more` or `below k` for the size of a crowd, marked as good or bad."""
    return Marked("below k", "bad") if people < k else Marked("k or more", "good")


def _column(facts: "PageFacts", name: str) -> PageFigure:
    """Draw a bar for each value of a column; values of fewer than k people are marked `< k`."""
    counts = facts.result.marginals[name]
    total = facts.first_counted or 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    drawn_values, rest = ordered[:BARS], ordered[BARS:]
    if len(rest) == 1:
        drawn_values, rest = ordered, []
    drawn_values = in_order(drawn_values)
    height = 26 * (len(drawn_values) + bool(rest)) + 30
    fate = _fate(facts, name)
    small = [value for value, people in ordered if 0 < people < facts.k]
    about = f"{plural(len(ordered), 'value')}; below k = {facts.k}: {', '.join(small) or 'none'}"
    drawing = Drawing(f"column-{_place(facts, name)}", f"{name} ({fate})", about, 340, height)
    drawing.text(0, 15, f"{shorten(name, 30)}: {fate}", "label")
    largest_count = ordered[0][1] if ordered else 1
    for row, (value, people) in enumerate(drawn_values):
        y = 30 + 26 * row
        below = 0 < people < facts.k
        drawing.text(104, y + 13, shorten(value, 16), anchor="end")
        drawing.box(110, y + 2, 120 * people / largest_count, 15, "bar low" if below else "bar")
        sign = " < k" if below else ""
        share = percent(people / total)
        drawing.text(116 + 120 * people / largest_count, y + 13, f"{people:,}{sign} ({share})")
    if rest:
        y = 30 + 26 * len(drawn_values)
        people = sum(people for _, people in rest)
        rest_text = f"{plural(len(rest), 'other value')}: {people:,} people"
        drawing.text(110, y + 13, rest_text)
    rows = [(value, people, people / total) for value, people in ordered]
    numbers = PageNumbers(f"column-{name}", ("value", "people", "share"), rows)
    return PageFigure(drawing.svg(), "", numbers)


def _fate(facts: "PageFacts", name: str) -> str:
    """Return in words whether the release has a column, and whether it hides some values."""
    if name not in facts.released_columns:
        return "not released"
    hides = HIDDEN.intersection(facts.released_counts.get(name, ()))
    return "released, some values blank" if hides else "released"


def in_order(counted: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sort the values of a column ascending if most are numbers or ranges of numbers.

    A value that is no number, such as `?`, comes last. Other columns keep their order. counted:
    values with their counts.
    """
    first = {value: _NUMBER.match(value) for value, _ in counted}
    if 2 * sum(reached is not None for reached in first.values()) <= len(counted):
        return list(counted)
    ends = {value: float(reached[1]) if reached else inf for value, reached in first.items()}
    return sorted(counted, key=lambda column: ends[column[0]])


def _place(facts: "PageFacts", name: str) -> int:
    """Return the index of a column among the columns of the run, for the name of its figure."""
    return int(list(facts.result.features).index(name))
