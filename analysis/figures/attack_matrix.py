"""The heat table of an attack matrix: the outcome of every attack under every countermeasure.

Each outcome has a mark as well as a colour, so that the table can be read without colours. A second
mark in a cell shows that an alarm was raised, or that no data were released.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import drawing
from ..drawing import BLACK, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = {
    "works": ("\N{BLACK CIRCLE}", "#F2B79B"),
    "reduced": ("\N{CIRCLE WITH LEFT HALF BLACK}", "#F7E3A1"),
    "stopped": ("\N{WHITE CIRCLE}", "#A9D8C6"),
    "idle": ("\N{WHITE SMALL SQUARE}", "#FFFFFF"),
    "unmet": ("\N{EMPTY SET}", "#C9D6EA"),
    "unplayed": ("\N{EN DASH}", "#EEEEEE"),
}
MEANING = {
    "works": "the attack works",
    "reduced": "less than half of it is left",
    "stopped": "it achieves nothing",
    "idle": "it achieves nothing here anyway",
    "unmet": "it finds no occasion here",
    "unplayed": "not played",
}
WITHHELD = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Sign:
    """The outcome of an attack under a countermeasure, as a cell of the heat table.

    Attributes:
        verdict: a key of `LOOKS`: works, reduced, stopped, idle, unmet or unplayed.
        achieved: success of the attack, as a share of the most that it can achieve.
        detected: share of runs with an alarm.
        withheld: whether no run released data.
        named: whether the description of the attack names the countermeasure as a help.
        is_baseline: whether the countermeasure is also active in the first column, the baseline.
    """

    verdict: str
    achieved: float
    detected: float
    withheld: bool
    named: bool
    is_baseline: bool


@dataclass(frozen=True, slots=True)
class HeatTable:
    """The attack matrix to draw: a row for each attack, with a cell for each countermeasure.

    Attributes:
        title: title above the table.
        headings: headings of the columns: the baseline, each countermeasure, and all together.
        rows: for each attack its name, and a cell for each heading.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Sign, ...]], ...]


@drawing.styled
def draw(table: HeatTable) -> "Figure":
    """Draw the heat table, half an inch wider for each column and 0.3 inch higher for each row."""
    wide, high = len(table.headings), len(table.rows)
    figure, (ax,) = drawing.new(2.4 + 0.52 * wide, 2.6 + 0.3 * high)
    ax.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5))
    for y, (_, signs) in enumerate(table.rows):
        for x, sign in enumerate(signs):
            _cell(ax, x, y, sign)
    ax.set_xticks(range(wide), table.headings, rotation=60, ha="left", rotation_mode="anchor")
    ax.set_yticks(range(high), [name for name, _ in table.rows])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for side in ax.spines.values():
        side.set_visible(False)
    figure.suptitle(table.title, fontsize=10)
    figure.supxlabel(_legend(), fontsize=8)
    return figure


def _cell(ax: "Axes", x: int, y: int, sign: Sign) -> None:
    """Draw the cell in column x and row y of the heat table: colour, frame and marks.

    sign: the outcome that the cell shows.
    """
    from matplotlib.patches import Rectangle

    mark, colour = LOOKS[sign.verdict]
    faint = 0.35 if sign.is_baseline else 1.0
    ax.add_patch(
        Rectangle(
            (x - 0.5, y - 0.5), 1, 1, facecolor=colour, alpha=faint, edgecolor="white", linewidth=1
        )
    )
    if sign.named:
        ax.add_patch(
            Rectangle((x - 0.46, y - 0.44), 0.92, 0.88, fill=False, edgecolor=BLACK, linewidth=1.1)
        )
    tone = GREY if sign.is_baseline else BLACK
    ax.text(x - 0.18, y, mark, ha="center", va="center", fontsize=8, color=tone)
    extra = ("!" if sign.detected else "") + (WITHHELD if sign.withheld else "")
    if extra and not sign.is_baseline:
        partly = 0 < sign.detected < 1
        ax.text(x + 0.22, y, extra, ha="center", va="center", fontsize=8, weight="bold")
        if partly:
            share = f"{sign.detected:.0%}"
            ax.text(x + 0.46, y + 0.4, share, ha="right", va="bottom", fontsize=4.5)


def _legend() -> str:
    """Return the legend of the heat table as text: the meaning of each mark, frame and shade."""
    marks = "    ".join(f"{LOOKS[name][0]} {meaning}" for name, meaning in MEANING.items())
    return (
        f"{marks}\n!  detected: a party raised an alarm (in a share of the runs, if one is given)"
        f"    {WITHHELD}  nothing was released\n"
        "framed: the defence is said to help against the attack    "
        "pale: the defence is also on in the column none, so not played again\n"
        "none: without the framed defences    all: with every defence"
    )
