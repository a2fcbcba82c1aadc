"""A report from Python: `veilmix.write_report`, with the page of the command `veilmix report`."""

from os import PathLike
from pathlib import Path

from ..scenarios.serialization.atomic_file import write_page
from .make import make


def write_report(
    path: str | PathLike[str],
    out: str | PathLike[str] | None = None,
    *,
    worst_case_nodes: int | None = None,
    attacks: str | PathLike[str] | None = None,
) -> Path:
    """Write a self-contained page about saved results, and return its path.

    The page shows more than any party of the protocol knows: the true table, and the curator's
    counts.

    Args:
        path: a run folder, a saved comparison or matrix, or the file of a sweep or score.
        out: the file to write; None: report.html in the folder, or a file beside `path`.
        worst_case_nodes: the largest number of nodes of each search for a worst case, of which the
            exposure curve has several; 0 leaves the worst cases out. None: 20, and only for tables
            of up to 40 cells.
        attacks: a saved attack matrix, to be shown on the page of a run.

    Raises:
        StorageError: there is no saved result at `path`, or the page cannot be written.
    """
    page = make(path, worst_case_nodes, attacks)
    target = page.path if out is None else Path(out)
    write_page(target, page.html)
    return target
