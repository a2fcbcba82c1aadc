"""Drawing of figures as SVG: scales, ticks, lines and marks, with texts as text.

Colours are classes of the page's style sheet, so that a figure also suits dark mode and print.
Every series also has a dash pattern or a mark. All text is escaped here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import count, pairwise
from math import ceil, floor, log10

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 74, 18, 16, 52
DASHES = (
    "",
    "2 3",
    "9 3 2 3",
    "7 4",
    "12 4",
    "4 2 1 2",
)  # dash pattern of each series (a curve with a label); series 1 is a continuous line
MARKS = ("circle", "diamond", "square", "triangle", "cross", "circle")
# average width of a letter, in units of the picture, by which widths of texts are estimated
GLYPH = 6.6

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PositionScale:
    """The map from numbers to positions along an axis of a picture, linear or logarithmic.

    Attributes:
        low: the least number.
        high: the largest number.
        start: the position of the least number, in units of the picture.
        end: the position of the largest number.
        log: whether the scale is logarithmic.
        zero: the position of the number 0 on a logarithmic scale; None: at `start`.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    zero: float | None = None

    def __call__(self, value: float) -> float:
        """Return the position of a number; outside the scale, the position of the nearer end."""
        if self.log and value <= 0:
            return self.start if self.zero is None else self.zero
        low, high, value = (
            (log10(self.low), log10(self.high), log10(value))
            if self.log
            else (self.low, self.high, value)
        )
        part = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(1.0, max(0.0, part)) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return a few round numbers of the scale, at which the axis has a tick with a label."""
        return _decades(self.low, self.high) if self.log else _steps(self.low, self.high)


def _decades(low: float, high: float) -> list[float]:
    """Return a few ticks of a logarithmic axis: powers of ten, or also 2 and 5 times powers of ten.

    low, high: the smallest and largest number of the axis.
    """
    ticks = [10.0**e for e in range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)]
    if len(ticks) > 6:
        return ticks[:: ceil(len(ticks) / 6)]
    if len(ticks) < 3:
        halves = [m * 10.0**e for e in range(floor(log10(low)), ceil(log10(high))) for m in (2, 5)]
        ticks = sorted({*ticks, *(tick for tick in halves if low <= tick <= high)})
    return ticks or [low, high]


def _steps(low: float, high: float, about: int = 5) -> list[float]:
    """Return about `about` round ticks of a linear axis, at equal distances.

    low, high: the smallest and largest number of the axis.
    """
    if high <= low:
        return [low]
    rough = (high - low) / about
    base = 10.0 ** floor(log10(rough))
    step = next(base * m for m in (1, 2, 2.5, 5, 10) if base * m >= rough * 0.999)
    first = ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, floor(high / step + 1e-9) + 1)]


@dataclass(slots=True)
class Drawing:
    """A picture in the making: each method appends an SVG element, and `svg` returns the whole.

    Attributes:
        name: name of the picture, unique on its page; ids of elements begin with it.
        title: the title, for screen readers.
        about: the content in words, for readers that cannot see the picture.
        width: width in units of the picture.
        height: height in units of the picture.
        parts: SVG elements, in the order in which they are drawn.
    """

    name: str
    title: str
    about: str
    width: float = WIDTH
    height: float = HEIGHT
    parts: list[str] = field(default_factory=list)

    def line(self, a: Point, b: Point, kind: str = "rule", dash: str = "") -> None:
        """Draw a straight line between two points.

        kind: class of the style sheet. dash: pattern of dashes; empty: a continuous line.
        """
        places = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
        self.parts.append(f'<line class="{kind}" {places}{_dash(dash)}/>')

    def path(self, points: Sequence[Point], kind: str, dash: str = "", close: str = "") -> None:
        """Draw a line through points.

        kind: class of the style sheet. dash: pattern of dashes; empty: a continuous line. close:
        `Z` also joins the last point to the first.
        """
        if points:
            places = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self.parts.append(f'<path class="{kind}" d="M{places}{close}"{_dash(dash)}/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a rectangle from its upper left corner. kind: class of the style sheet."""
        size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
        self.parts.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size}/>')

    def mark(self, at: Point, shape: str, kind: str, size: float = 4.5) -> None:
        """Draw a mark at a point.

        shape: circle, diamond, square, triangle or cross. kind: class of the style sheet.
        size: about half of the mark's width, in units of the picture.
        """
        x, y = at
        s = size
        if shape == "circle":
            self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{s:g}"/>')
            return
        shapes = {
            "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
            "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
            "triangle": ((0, -1.2), (1.2, 1), (-1.2, 1)),
        }
        if shape == "cross":
            self.path([(x - s, y - s), (x + s, y + s)], kind)
            self.path([(x - s, y + s), (x + s, y - s)], kind)
        else:
            points = [(x + s * dx, y + s * dy) for dx, dy in shapes[shape]]
            self.path(points, kind, close="Z")

    def text(
        self, x: float, y: float, text: str, kind: str = "tick", anchor: str = "start"
    ) -> None:
        """Draw a text, escaped. anchor: the part of the text at x: start, middle or end."""
        where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self.parts.append(f'<text class="{kind}" {where}>{escape(text)}</text>')

    def turned(self, x: float, y: float, text: str) -> None:
        """Draw a text that runs upwards, as the label of a vertical axis."""
        self.parts.append(
            f'<text class="label" transform="translate({x:.1f} {y:.1f}) rotate(-90)" '
            f'text-anchor="middle">{escape(text)}</text>'
        )

    def slanted(self, x: float, y: float, text: str) -> None:
        """Draw a text that runs upwards to the right, such as the heading of a narrow column."""
        self.parts.append(
            f'<text class="tick" transform="translate({x:.1f} {y:.1f}) rotate(-52)">'
            f"{escape(text)}</text>"
        )

    def ruler(
        self, x: PositionScale, top: float, label: str, ticks: Sequence[tuple[float, str]] = ()
    ) -> None:
        """Draw a horizontal scale at the bottom, with its label, and grid lines from `top` down.

        ticks: numbers with their labels; empty: the ticks of the scale.
        """
        bottom = self.height - 46
        for value, text in ticks or [(tick, number(tick)) for tick in x.ticks()]:
            self.line((x(value), top), (x(value), bottom), "grid" if value else "axis")
            self.text(x(value), bottom + 18, text, anchor="middle")
        self.text((x.start + x.end) / 2, self.height - 6, label, "label", "middle")

    def svg(self) -> str:
        """Return the whole picture as SVG, with title and description for screen readers."""
        key = f"fig-{self.name}"
        return (
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-labelledby="{key}-t {key}-d" data-width="{self.width:g}">'
            f'<title id="{key}-t">{escape(self.title)}</title>'
            f'<desc id="{key}-d">{escape(self.about)}</desc>' + "".join(self.parts) + "</svg>"
        )


def _dash(dash: str) -> str:
    """Return the SVG attribute of a dash pattern; empty for a continuous line."""
    return f' stroke-dasharray="{dash}"' if dash else ""


@dataclass(slots=True)
class Plot:
    """A drawing with two axes, in which curves and marks are placed by their numbers.

    Attributes:
        drawing: the picture that the plot is drawn into.
        x: the horizontal scale, from left to right.
        y: the vertical scale, from the bottom up.
        entries: rows of the legend: label, shape, class of the style sheet, dash pattern.
    """

    drawing: Drawing
    x: PositionScale
    y: PositionScale
    entries: list[tuple[str, str, str, str]] = field(default_factory=list)

    @property
    def floor(self) -> float:
        """The vertical position of the horizontal axis, in units of the picture."""
        return self.y.start if self.y.zero is None else self.y.zero

    def axes(
        self,
        xlabel: str,
        ylabel: str,
        xticks: Sequence[tuple[float, str]] | None = None,
        yticks: Sequence[tuple[float, str]] | None = None,
    ) -> None:
        """Draw both axes, their labels, and their ticks with grid lines.

        xlabel, ylabel: labels of the axes. xticks, yticks: numbers with their labels; None: round
        numbers.
        """
        draw, x, y = self.drawing, self.x, self.y
        for value, text in yticks or [(tick, number(tick)) for tick in y.ticks()]:
            draw.line((x.start, y(value)), (x.end, y(value)), "grid")
            draw.text(x.start - 8, y(value) + 4, text, anchor="end")
        room = 0.0
        for value, text in xticks or [(tick, number(tick)) for tick in x.ticks()]:
            if x(value) - len(text) * GLYPH / 2 < room:
                continue
            room = x(value) + len(text) * GLYPH / 2 + 6
            draw.line((x(value), self.floor), (x(value), self.floor + 5), "axis")
            draw.text(x(value), self.floor + 19, text, anchor="middle")
        if y.zero is not None:
            draw.text(x.start - 8, self.floor + 4, "0", anchor="end")
        draw.line((x.start, self.floor), (x.end, self.floor), "axis")
        draw.text((x.start + x.end) / 2, draw.height - 8, xlabel, "label", "middle")
        draw.turned(16, (y.start + y.end) / 2, ylabel)

    def curve(
        self, points: Sequence[Point], series: int, label: str = "", *, steps: bool = False
    ) -> None:
        """Draw a line through points in units of the axes, and enter its label into the legend.

        series: number of the curve, from 1, which gives its colour and dash. steps: whether the
        line stays constant up to the next point.
        """
        places = [(self.x(a), self.y(b)) for a, b in points]
        if steps:
            stairs = [p for place, two in pairwise(places) for p in (place, (two[0], place[1]))]
            places = [*stairs, places[-1]] if places else []
        dash = DASHES[(series - 1) % len(DASHES)]
        self.drawing.path(places, f"series s{series}", dash)
        if label:
            self.entries.append((label, "line", f"series s{series}", dash))

    def span(self, x: float, low: float, high: float, kind: str) -> None:
        """Draw a vertical bar with ends, such as a confidence interval.

        x: the place on the horizontal axis. low, high: the ends, on the vertical axis. kind: class
        of the style sheet.
        """
        at, a, b = self.x(x), self.y(low), self.y(high)
        self.drawing.line((at, a), (at, b), kind)
        for end in (a, b):
            self.drawing.line((at - 4, end), (at + 4, end), kind)

    def upright(self, x: float, label: str) -> None:
        """Draw a vertical dashed line with a label, such as the policy's k."""
        at = self.x(x)
        self.drawing.line((at, self.floor), (at, self.y.end), "mark", "3 3")
        far = at + len(label) * GLYPH + 6 > self.x.end
        self.drawing.text(
            at + (-5 if far else 5), self.y.end + 11, label, "note", "end" if far else "start"
        )

    def level(self, y: float, label: str) -> None:
        """Draw a horizontal dashed line with a label, such as a limit."""
        at = self.y(y)
        self.drawing.line((self.x.start, at), (self.x.end, at), "mark", "1 3")
        self.drawing.text(self.x.end, at - 5, label, "note", "end")

    def note(self, label: str, shape: str, kind: str) -> None:
        """Enter a mark with its label into the legend.

        shape: circle, diamond, square, triangle or cross. kind: class of the style sheet.
        """
        self.entries.append((label, shape, kind, ""))

    def strip(self) -> None:
        """Draw the legend in a row above the plot.

        The plot must have been made with room for it (`plot(head=...)`).
        """
        x = self.x.start
        for label, _, kind, dash in self.entries:
            self.drawing.line((x, 10), (x + 24, 10), kind, dash)
            self.drawing.text(x + 29, 14, label)
            x += 29 + len(label) * GLYPH + 16

    def legend(self, x: float, y: float) -> None:
        """Draw the legend as a box. x, y: its upper left corner, in units of the picture."""
        width = max((len(entry[0]) for entry in self.entries), default=0) * GLYPH + 44
        self.drawing.box(x, y, width, 18 * len(self.entries) + 8, "legend")
        for row, (label, shape, kind, dash) in zip(count(), self.entries, strict=False):
            middle = y + 14 + 18 * row
            if shape == "line":
                self.drawing.line((x + 8, middle), (x + 32, middle), kind, dash)
            else:
                self.drawing.mark((x + 20, middle), shape, kind)
            self.drawing.text(x + 38, middle + 4, label)


def plot(
    name: str,
    title: str,
    about: str,
    xs: tuple[float, float, bool],
    ys: tuple[float, float, bool],
    *,
    width: float = WIDTH,
    height: float = HEIGHT,
    zero: bool = False,
    head: float = 0.0,
) -> Plot:
    """Return an empty plot, to be filled with axes, curves and marks.

    xs, ys: least and largest number of an axis, and whether it is logarithmic.
    zero: leave room for the number 0 below a logarithmic vertical axis.
    head: room above the plot, in units of the picture.
    """
    drawing = Drawing(name, title, about, width, height)
    bottom = height - BOTTOM
    x = PositionScale(xs[0], xs[1], LEFT, width - RIGHT, xs[2])
    if zero:
        return Plot(drawing, x, PositionScale(ys[0], ys[1], bottom - 22, TOP + head, ys[2], bottom))
    return Plot(drawing, x, PositionScale(ys[0], ys[1], bottom, TOP + head, ys[2]))


def number(value: float) -> str:
    """Return the label of a tick: short, with thousands separators."""
    if value and abs(value) < 1e-3:
        return f"{value:.0e}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def shorten(text: str, max_length: int) -> str:
    """Return a text cut to `max_length` characters; `...` shows that it is cut."""
    return text if len(text) <= max_length else text[: max_length - 3].rstrip() + "..."
