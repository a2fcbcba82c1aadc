"""The figures of a comparison of programs: bars for each measure, and leakage against error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..analysis.figures.labels import Box, place_labels
from ..analysis.trust.side import Side
from ..number_text import percent
from ..presentation.blocks import PageFigure
from ..presentation.presenters import comparison as comparison_words
from ..presentation.svg import Drawing, Plot, plot, shorten
from ..presentation.text_blocks import PageNumbers
from ..scenarios.studies.comparison.frames import HEADINGS, rows
from ..scenarios.studies.comparison.result import Compared, Comparison

ROW = 24
NAMES = 150
PANEL = 112  # width of a measure's column, in units of the picture
ARROW = 26  # length of the arrow that marks a lower bound, in units of the picture
LABEL = 14  # height of a release program's name beside its mark, in units of the picture
LETTER = 7.2  # largest width of a letter of a release program's name, in units of the picture
LEGEND = 2  # lines of the legend
FAMILIES = {
    "mix": "through the mix",
    "central": "one curator sees everything",
    "shares": "two parties add secret shares",
    "local": "everybody adds noise, no mix",
}
SHAPES = {"mix": "circle", "central": "square", "shares": "triangle", "local": "diamond"}


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column of the figure of measures, with a bar for each release program.

    Attributes:
        title: the heading of the bars.
        value: returns a program's number, in the unit of the title.
        text: returns the number as it is printed.
        limits: returns the ends of a 95 % interval, or None.
        is_bounded: returns whether the number is exact or an upper bound, and so can be drawn as a
            bar; a lower bound is drawn as an arrow.
    """

    title: str
    value: Callable[[Compared], float]
    text: Callable[[Compared], str]
    limits: Callable[[Compared], tuple[float, float] | None]
    is_bounded: Callable[[Compared], bool] = lambda _: True


def bits(program: Compared) -> float:
    """Return the leakage to the party that learns most in a program, in bits per person."""
    return program.trust.largest_party_leakage.bits_per_person


def known_from_above(program: Compared) -> bool:
    """Whether a program's leakage is exact or an upper bound; a lower bound cannot be ranked."""
    return program.trust.largest_party_leakage.bits_are is not Side.AT_LEAST


def bits_text(program: Compared) -> str:
    """Return the leakage to the party that learns most, as text with <= or >= for a bound."""
    return comparison_words.bits_text(program.trust.largest_party_leakage)


def exposed(program: Compared) -> str:
    """Return the share of exposed people in a release, or the epsilon of noisy reports, as text."""
    if program.privacy.epsilon is not None:
        return f"e = {program.privacy.epsilon:g}"
    return percent(program.privacy.true)


MEASURES = (
    FigureColumn("bits, one party", bits, bits_text, lambda _: None, known_from_above),
    FigureColumn("exposed", lambda program: program.privacy.true, exposed, lambda _: None),
    FigureColumn(
        "table error",
        lambda program: program.utility.mean,
        lambda program: f"{program.utility.mean:.3f}",
        lambda program: program.utility.mean_limits,
    ),
    FigureColumn(
        "CPU seconds",
        lambda program: program.cost.cpu,
        lambda program: f"{program.cost.cpu:.3g}",
        lambda program: program.cost.cpu_limits,
    ),
    FigureColumn(
        "bytes sent",
        lambda program: program.cost.bytes,
        lambda program: f"{program.cost.bytes:,.0f}",
        lambda _: None,
    ),
)


def measures_figure(comparison: Comparison) -> PageFigure:
    """Draw a row for each release program, with a bar for each measure."""
    height = 34 + ROW * len(comparison.programs)
    about = "; ".join(
        f"{program.program}: {bits_text(program)} bits" for program in comparison.programs
    )
    drawing = Drawing("measures", "Programs side by side", about, NAMES + 5 * (PANEL + 6), height)
    for place, measure in enumerate(MEASURES):
        x = NAMES + place * (PANEL + 6)
        drawing.text(x, 16, shorten(measure.title, 21), "label")
        ends = [measure.limits(program) or (0.0, 0.0) for program in comparison.programs]
        high = max(
            *(measure.value(program) for program in comparison.programs),
            *(b for _, b in ends),
            1e-12,
        )
        scale = (PANEL - 48) / high
        for row, program in enumerate(comparison.programs):
            y = 28 + ROW * row
            value = measure.value(program)
            end = value
            if measure.is_bounded(program):
                drawing.box(x, y + 3, value * scale, 13, "bar")
            else:
                _arrow(drawing, x + value * scale, y + 9.5)
                end += ARROW / scale
            if limits := measure.limits(program):
                drawing.line(
                    (x + limits[0] * scale, y + 9.5), (x + limits[1] * scale, y + 9.5), "link"
                )
                end = max(end, limits[1])
            drawing.text(x + end * scale + 4, y + 14, measure.text(program))
    for row, program in enumerate(comparison.programs):
        drawing.text(0, 42 + ROW * row, shorten(program.program, 22))
    caption = "Every measure from 0; a line is a 95 % interval. An arrow: at least so much."
    return PageFigure(drawing.svg(), caption, measures_numbers(comparison))


def _arrow(drawing: Drawing, x: float, y: float) -> None:
    """Draw an arrow from (x, y) to the right: x is a lower bound, so the value may be larger."""
    drawing.line((x, y - 5), (x, y + 5), "link")
    drawing.line((x, y), (x + ARROW - 4, y), "link")
    for side in (-4, 4):
        drawing.line((x + ARROW - 9, y + side), (x + ARROW - 4, y), "link")


def measures_numbers(comparison: Comparison) -> PageNumbers:
    """Return all numbers of all release programs in the comparison, unrounded, for a CSV file."""
    return PageNumbers("programs", HEADINGS, [*rows(comparison)])


def frontier_figure(comparison: Comparison) -> PageFigure:
    """Draw each release program as a mark: error against leakage to the best-informed party."""
    right = max(*(bits(program) for program in comparison.programs), 0.1)
    high = max(*(program.utility.mean for program in comparison.programs), 0.05)
    picture = plot(
        "frontier",
        "Trust against use",
        "; ".join(
            f"{program.program}: {bits_text(program)} bits, error {program.utility.mean:.3f}"
            for program in comparison.programs
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
    _named(picture, comparison.programs)
    x, y = picture.x.start, 14.0
    for family in dict.fromkeys(program.family for program in comparison.programs):
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
    return PageFigure(picture.drawing.svg(), caption, measures_numbers(comparison))


def _named(picture: Plot, programs: Sequence[Compared]) -> None:
    """Draw a mark with its name for each release program; an arrow marks a lower bound.

    Programs at the same point share a label, such as `exposure, shares`.
    """
    groups: dict[tuple[float, float, bool], list[Compared]] = {}
    for program in programs:
        place_of = (
            round(picture.x(bits(program))),
            round(picture.y(program.utility.mean)),
            known_from_above(program),
        )
        groups.setdefault(place_of, []).append(program)
    occupied_boxes: list[Box] = []
    for (x, y, is_bounded), members in groups.items():
        for program in members:
            kind = "promise" if program.privacy.epsilon is not None else "truth"
            picture.drawing.mark((x, y), SHAPES.get(program.family, "circle"), kind, 5)
        if not is_bounded:
            _arrow(picture.drawing, x, y)
        occupied_boxes.append(Box(x - 7, y - 7, x + (7 if is_bounded else ARROW), y + 7))
    names = [", ".join(program.program for program in members) for members in groups.values()]
    room = Box(picture.x.start + 3, picture.y.end, picture.x.end, picture.y.start - 3)
    places = place_labels(
        [(x, y) for x, y, _ in groups],
        [(len(name) * LETTER, LABEL) for name in names],
        room,
        occupied_boxes,
        9,
    )
    for (x, y, _), name, put in zip(groups, names, places, strict=True):
        box = put.box
        if put.far:
            nearest = (min(max(x, box.left), box.right), min(max(y, box.low), box.high))
            picture.drawing.line((x, y), nearest, "grid")
        picture.drawing.text(box.left, box.high - 3.5, name, "name")
