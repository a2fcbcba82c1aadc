"""The choice of the page by the kind of a saved result: run, comparison, matrix, sweep or score."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ..errors import StorageError
from ..presentation.blocks import Page
from ..scenarios.records.run_folder import read
from ..scenarios.studies.comparison.result import COMPARISON
from ..scenarios.studies.comparison.result import read as read_comparison
from ..scenarios.studies.matrix.attack_matrix_file import is_one as is_matrix
from ..scenarios.studies.matrix.attack_matrix_file import read as read_matrix
from ..scenarios.studies.sweeps.sweep_file import looks_like_one
from ..scenarios.studies.sweeps.sweep_runs import read_sweep
from . import compare, matrix, run, sweep, table
from .write import html


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page about saved results, and the path where it belongs.

    Attributes:
        page: the content of the page.
        html: the page as a file of HTML.
        path: the path to write it to.
    """

    page: Page
    html: str
    path: Path


def make(
    path: str | PathLike[str], nodes: int | None = None, attacks: str | PathLike[str] | None = None
) -> MadePage:
    """Make the page about the saved result at a path, by the kind of result found at this path.

    A saved result is a run folder, a saved comparison or matrix, or the file of a sweep or score.
    StorageError if the path is no saved result.

    nodes: the largest number of nodes of each search for a worst case of the exposure curve; None:
        20, and only for tables of up to 40 cells.
    attacks: the path of a saved attack matrix to show on the page of a run.
    """
    path = Path(path)
    if path.is_dir() and (path / COMPARISON).is_file():
        page, report_path = compare.page(read_comparison(path)), path / "report.html"
    elif is_matrix(path):
        page = matrix.page(read_matrix(path))
        report_path = (path if path.is_dir() else path.parent) / "report.html"
    elif path.is_dir():
        played = read(path)
        attack_matrix = None if attacks is None else read_matrix(attacks)
        page, report_path = run.page(played, nodes, attack_matrix), path / "report.html"
    elif table.looks_like_one(path):
        page, report_path = table.page(table.read(path)), path.with_suffix(".html")
    elif looks_like_one(path):
        page, report_path = sweep.page(read_sweep(path)), path.with_suffix(".html")
    else:
        raise StorageError(
            f"{path}: no run folder, comparison, matrix of attacks, file of a sweep or score; "
            "`veilmix run`, `compare`, `attack`, `sweep` and `score --save` make them"
        )
    return MadePage(page, html(page), report_path)
