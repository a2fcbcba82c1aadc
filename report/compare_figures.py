"""The two pictures of a comparison: a bar a measure and program, and the frontier."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..analysis.figures.labels import Box, beside
from ..analysis.trust.fiber import Side
from ..scenarios.comparison.result import Compared, Comparison
from ..scenarios.pages.pieces import Cell, Figure, Numbers
from ..scenarios.pages.svg import Drawing, Plot, plot, shorten
from ..scenarios.wording import percent

ROW = 24
NAMES = 150
PANEL = 112  # units of the picture for each measure
ARROW = 26  # units of a sign for a value that is only bounded from below
LABEL = 14  # units: the height of a name beside its point
LETTER = 7.2  # units: the width of a letter there, at most
LEGEND = 2  # lines
FAMILIES = {
    "mix": "through the mix",
    "central": "one curator sees everything",
    "shares": "two parties add secret shares",
    "local": "everybody adds noise, no mix",
}
SHAPES = {"mix": "circle", "central": "square", "shares": "triangle", "local": "diamond"}


@dataclass(frozen=True, slots=True)
class Measure:
    """What a program is measured by.

    text: as it is read; limits: of a 95 % interval, or None; known: whether the value is known from
    above, and may be drawn as a bar.
    """

    title: str
    value: Callable[[Compared], float]
    text: Callable[[Compared], str]
    limits: Callable[[Compared], tuple[float, float] | None]
    known: Callable[[Compared], bool] = lambda _: True


def bits(one: Compared) -> float:
    """Bits a person that the single party received which received most."""
    return one.trust.most_trusted.bits_per_person


def known_from_above(one: Compared) -> bool:
    """Whether bits are known from above; of a lower bound alone nobody knows how far it is."""
    return one.trust.most_trusted.bits_are is not Side.AT_LEAST


def bits_text(one: Compared) -> str:
    """The same, marked where it is only bounded."""
    return f"{one.trust.most_trusted.bits_are.mark}{bits(one):.2f}"


def exposed(one: Compared) -> str:
    """The exposure of a release, or the epsilon of reports."""
    if one.privacy.epsilon is not None:
        return f"e = {one.privacy.epsilon:g}"
    return percent(one.privacy.true)


MEASURES = (
    Measure("bits, one party", bits, bits_text, lambda _: None, known_from_above),
    Measure("exposed", lambda one: one.privacy.true, exposed, lambda _: None),
    Measure(
        "table error",
        lambda one: one.utility.mean,
        lambda one: f"{one.utility.mean:.3f}",
        lambda one: one.utility.mean_limits,
    ),
    Measure(
        "CPU seconds",
        lambda one: one.cost.cpu,
        lambda one: f"{one.cost.cpu:.3g}",
        lambda one: one.cost.cpu_limits,
    ),
    Measure(
        "bytes sent",
        lambda one: one.cost.bytes,
        lambda one: f"{one.cost.bytes:,.0f}",
        lambda _: None,
    ),
)


def measures_figure(found: Comparison) -> Figure:
    """A row a program, a bar a measure."""
    height = 34 + ROW * len(found.programs)
    about = "; ".join(f"{one.program}: {bits_text(one)} bits" for one in found.programs)
    drawing = Drawing("measures", "Programs side by side", about, NAMES + 5 * (PANEL + 6), height)
    for place, measure in enumerate(MEASURES):
        x = NAMES + place * (PANEL + 6)
        drawing.text(x, 16, shorten(measure.title, 21), "label")
        ends = [measure.limits(one) or (0.0, 0.0) for one in found.programs]
        high = max(*(measure.value(one) for one in found.programs), *(b for _, b in ends), 1e-12)
        scale = (PANEL - 48) / high
        for row, one in enumerate(found.programs):
            y = 28 + ROW * row
            value = measure.value(one)
            end = value
            if measure.known(one):
                drawing.box(x, y + 3, value * scale, 13, "bar")
            else:
                _arrow(drawing, x + value * scale, y + 9.5)
                end += ARROW / scale
            if limits := measure.limits(one):
                drawing.line(
                    (x + limits[0] * scale, y + 9.5), (x + limits[1] * scale, y + 9.5), "link"
                )
                end = max(end, limits[1])
            drawing.text(x + end * scale + 4, y + 14, measure.text(one))
    for row, one in enumerate(found.programs):
        drawing.text(0, 42 + ROW * row, shorten(one.program, 22))
    caption = "Every measure from 0; a line is a 95 % interval. An arrow: at least so much."
    return Figure(drawing.svg(), caption, measures_numbers(found))


def _arrow(drawing: Drawing, x: float, y: float) -> None:
    """From the least value to the right: how far it goes is not known."""
    drawing.line((x, y - 5), (x, y + 5), "link")
    drawing.line((x, y), (x + ARROW - 4, y), "link")
    for side in (-4, 4):
        drawing.line((x + ARROW - 9, y + side), (x + ARROW - 4, y), "link")


def measures_numbers(found: Comparison) -> Numbers:
    """Every figure of every program, for a spreadsheet."""
    headings = (
        *("program", "family", "most_trusted", "bits_per_person", "bits_are", "linked_people"),
        *("true_exposure", "promised_exposure", "epsilon_nats", "columns", "cells_share"),
        *("entropy_bits", "error_mean", "error_low_95", "error_high_95", "error_largest"),
        *("cpu_seconds", "bytes_per_person", "rounds"),
    )
    rows: list[tuple[Cell | None, ...]] = []
    for one in found.programs:
        best, worth = one.trust.most_trusted, one.utility
        low, high = worth.mean_limits or (None, None)
        rows.append(
            (
                *(one.program, one.family, "+".join(best.parties), best.bits_per_person),
                *(
                    best.bits_are.value,
                    best.linked,
                    one.privacy.true,
                    one.privacy.promised,
                    one.privacy.epsilon,
                ),
                *(" x ".join(worth.columns), worth.cells, worth.entropy, worth.mean, low, high),
                *(worth.largest, one.cost.cpu, one.cost.bytes, one.cost.rounds),
            )
        )
    return Numbers("programs", headings, rows)


def frontier_figure(found: Comparison) -> Figure:
    """Error against bits: a mark for each program, its name beside it."""
    right = max(*(bits(one) for one in found.programs), 0.1)
    high = max(*(one.utility.mean for one in found.programs), 0.05)
    picture = plot(
        "frontier",
        "Trust against use",
        "; ".join(
            f"{one.program}: {bits_text(one)} bits, error {one.utility.mean:.3f}"
            for one in found.programs
        ),
        (0.0, right * 1.3, False),
        (-0.08 * high, high * 1.15, False),
        height=470,
        head=22 * LEGEND,
    )
    picture.axes(
        "bits a person received by the party that receives most",
        "mean error of two-way tables (0 to 1)",
    )
    _named(picture, found.programs)
    x, y = picture.x.start, 14.0
    for family in dict.fromkeys(one.family for one in found.programs):
        label = FAMILIES.get(family, family)
        width = 15 + len(label) * 6.8 + 14
        if x + width > picture.drawing.width:
            x, y = picture.x.start, y + 20
        picture.drawing.mark((x + 6, y - 4), SHAPES.get(family, "circle"), "promise", 4.5)
        picture.drawing.text(x + 15, y, label)
        x += width
    caption = (
        "Filled: exact counts. Open: people add noise, and e is their epsilon in nats. An arrow: "
        "at least so many bits; how many more is not known."
    )
    return Figure(picture.drawing.svg(), caption, measures_numbers(found))


def _named(picture: Plot, programs: Sequence[Compared]) -> None:
    """A mark for each program, with an arrow where bits are a lower bound, and its name beside.

    Programs at one place share a name, as `two-round, shares`.
    """
    groups: dict[tuple[float, float, bool], list[Compared]] = {}
    for one in programs:
        place_of = (
            round(picture.x(bits(one))),
            round(picture.y(one.utility.mean)),
            known_from_above(one),
        )
        groups.setdefault(place_of, []).append(one)
    taken: list[Box] = []
    for (x, y, known), members in groups.items():
        for one in members:
            kind = "promise" if one.privacy.epsilon is not None else "truth"
            picture.drawing.mark((x, y), SHAPES.get(one.family, "circle"), kind, 5)
        if not known:
            _arrow(picture.drawing, x, y)
        taken.append(Box(x - 7, y - 7, x + (7 if known else ARROW), y + 7))
    names = [", ".join(one.program for one in members) for members in groups.values()]
    room = Box(picture.x.start + 3, picture.y.end, picture.x.end, picture.y.start - 3)
    places = beside(
        [(x, y) for x, y, _ in groups],
        [(len(name) * LETTER, LABEL) for name in names],
        room,
        taken,
        9,
    )
    for (x, y, _), name, put in zip(groups, names, places, strict=True):
        box = put.box
        if put.far:
            nearest = (min(max(x, box.left), box.right), min(max(y, box.low), box.high))
            picture.drawing.line((x, y), nearest, "grid")
        picture.drawing.text(box.left, box.high - 3.5, name, "name")
