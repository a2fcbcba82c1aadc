"""Figures of paper 001: what it announces and never shows, drawn into a folder."""

import csv
from pathlib import Path

from ..analysis.shuffled_figures import Figure, figures


def draw(folder: Path) -> list[Path]:
    """Writes every figure as PNG, SVG and CSV; returns the files in the order written.

    Args:
        folder: where to; made if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [path for figure in figures() for path in _write(figure, folder)]


def _write(figure: Figure, folder: Path) -> list[Path]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(canvas)
    figure.plot(canvas.add_subplot())
    paths = [folder / f"001-{figure.name}.{ending}" for ending in ("png", "svg", "csv")]
    for path in paths[:2]:
        canvas.savefig(path, dpi=150)
    with paths[2].open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(figure.columns)
        table.writerows(figure.rows())
    return paths
