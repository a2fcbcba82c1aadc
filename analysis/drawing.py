"""Style and output of figures: the same numbers give the same file on every machine.

Colours are those of M. Okabe and K. Ito (2008), which people with any colour vision can
distinguish. Every line also has its own line style, so that a figure can be printed in grey.
Figures are made without pyplot, so that no window system is needed.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..errors import NO_ROOM, LocalError, StorageError
from ..installation import missing
from ..library_warnings import collected, mute

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
R = TypeVar("R")

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#8A8A8A"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY)
STYLES: tuple[Any, ...] = (
    "-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)),
    (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (2, 2)), (0, (10, 2, 2, 2)),
)  # fmt: skip
FORMATS = (".png", ".svg")
BACKEND = "MPLBACKEND"  # the environment variable that names matplotlib's backend
DOTS = 160  # resolution of a PNG file, in dots per inch

LOOK: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.family": "DejaVu Sans",  # this font is part of matplotlib
    "font.size": 9,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.framealpha": 1,
    "legend.edgecolor": "#DDDDDD",
    "lines.linewidth": 1.6,
    # a fixed salt, because otherwise the names inside an SVG file are random
    "svg.hashsalt": "veilmix",
}


def require() -> None:
    """Raise LocalError if matplotlib is missing; the message names the package to install."""
    mute("matplotlib")  # silences messages about unwritable settings folders and fonts
    try:
        _import()
    except ImportError:
        raise LocalError(missing("report", "drawing")) from None


def _import() -> None:
    """Import matplotlib, even if MPLBACKEND names a backend that is not installed.

    A notebook sets this environment variable for every process that it starts. If the backend is
    missing, matplotlib then refuses to be imported. Figures are drawn without a backend, so the
    variable is ignored during the import.
    """
    modules_before = set(sys.modules)
    try:
        import_module("matplotlib")
    except ValueError:
        backend = os.environ.pop(BACKEND, None)
        if backend is None:
            raise
        # removes the half-imported modules, so that matplotlib is imported from scratch
        for module in set(sys.modules) - modules_before:
            if module.partition(".")[0] == "matplotlib":
                del sys.modules[module]
        try:
            import_module("matplotlib")
        finally:
            os.environ[BACKEND] = backend


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Decorate a drawing function so that it draws in the style of `house_style`."""

    @wraps(draw)
    def draw_in_style(*args: P.args, **options: P.kwargs) -> R:
        """Call the decorated function within `house_style`, and return its result."""
        with house_style():
            return draw(*args, **options)

    return draw_in_style


@contextmanager
def house_style() -> Iterator[None]:
    """Set matplotlib to the style of veilmix's figures (`LOOK`) within a `with` block.

    Within the block the user's own settings are ignored; they are restored afterwards. Raises
    LocalError if matplotlib is missing.
    """
    require()
    from matplotlib import rc_context, rcdefaults, rcParams

    with rc_context():
        rcdefaults()  # overrides the user's matplotlibrc
        rcParams.update(LOOK)
        yield


def new(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> "tuple[Figure, list[Axes]]":
    """Return a new figure and its axes, row by row.

    Args:
        width: width of the figure in inches.
        height: height of the figure in inches.
        rows: number of rows of axes.
        columns: number of axes in a row.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, [figure.add_subplot(rows, columns, i + 1) for i in range(rows * columns)]


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise StorageError unless the path ends in a format that can be written: .png or .svg."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise StorageError(
            f"{path}: found {path.suffix or 'no ending'}; .png and .svg are accepted"
        )


def rendered(figure: "Figure", ending: str) -> bytes:
    """Return a figure as the bytes of a file.

    Date and version are left out, so that equal figures have equal bytes.

    ending: the format of the file, ".png" or ".svg".
    """
    metadata = {"Date": None, "Creator": None} if ending == ".svg" else {"Software": None}
    picture = BytesIO()
    # `collected` suppresses warnings about characters that the font lacks
    with house_style(), collected():
        figure.savefig(picture, format=ending[1:], dpi=DOTS, metadata=metadata)
    return picture.getvalue()


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG or SVG, by the ending of `path`.

    An existing file stays unchanged until the new file is complete. Raises StorageError if the file
    cannot be written.
    """
    path = Path(path)
    check_path(path)
    partial = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        partial.write_bytes(rendered(figure, path.suffix.lower()))
        partial.replace(path)
    except OSError as bad:
        todo = "make room, or name" if bad.errno in NO_ROOM else "name"
        raise StorageError(
            f"{path}: cannot be written: {bad.strerror or bad}; {todo} another place"
        ) from None
    finally:
        partial.unlink(missing_ok=True)


def percent_axis(ax: "Axes", label: str) -> None:
    """Make the y axis show shares as percent, from 0 to 100 %.

    ax: the axes. label: label of the y axis.
    """
    from matplotlib.ticker import PercentFormatter

    ax.set_ylim(-0.01, 1.03)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylabel(label)


def people_axis(ax: "Axes", label: str, max_people: float) -> None:
    """Make the x axis logarithmic, for numbers of people from 1 to `max_people`.

    ax: the axes. label: label of the x axis.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.set_xlim(1, max_people)
    ax.xaxis.set_major_locator(LogLocator(base=10))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(label)


def styles(line_count: int) -> Sequence[tuple[str, Any]]:
    """Return a colour and a line style for each of `line_count` lines.

    All pairs of colour and style differ for up to 64 lines.
    """
    shift = len(STYLES)
    return [
        (COLOURS[i % len(COLOURS)], STYLES[(i + i // len(COLOURS)) % shift])
        for i in range(line_count)
    ]
