"""Rows that k people opened, on the page of a run."""

from ....presentation.pieces import PageGrid, Section
from ....presentation.wording import percent
from .estimates import Sampled
from .score import OpenedRows
from .text import excluded_rows


def _estimated(
    sampled: "Sampled",
) -> tuple[tuple[str, ...], list[tuple[str, ...]], tuple[int, ...]]:
    """Return the table of the estimates: headings, rows, right-aligned columns."""
    from .text import estimates

    table = estimates(sampled)
    return tuple(table.headings), [tuple(map(str, row)) for row in table.rows], tuple(table.right)


def section(opened: OpenedRows) -> Section:
    """Return the section on open prefixes and closed groups."""
    groups = sum(size.groups for size in opened.closed)
    lead = (
        f"A group opens when {opened.k} people send the same. {opened.cells:,} of {opened.of:,} "
        f"cells are said ({percent(opened.share)}). {opened.closed_people:,} people are in "
        f"{groups:,} groups that stayed closed; the reader sees their sizes, and what they hold "
        "only together with `randomness`."
    )
    for name, value, meaning in excluded_rows(opened):
        lead += f" {name.removeprefix('... ').capitalize()}: {value} ({meaning})."
    if opened.prefixes:
        lead += (
            f" {opened.cut_short:,} people share each value that is open of them with {opened.k} "
            f"or more, and that it ends there with fewer than {opened.k}."
        )
    if opened.astray:
        lead += (
            f" {opened.astray:,} more sent junk beyond what is open of them, which is in no group."
        )
    people = sum(depth.people for depth in opened.depths)
    sampled = opened.sampled
    if sampled is not None:
        lead = (
            f"Each of {people:,} people took part with probability {sampled.rate:.4g}; the others "
            "sent a message that opens for nobody. A row opens when "
            f"{opened.k} who took part send it: {sampled.rows:,} did. At epsilon = "
            f"{sampled.epsilon:g} "
            f"delta is {sampled.removed:.3g} for who sees the release (one row against none; "
            f"{sampled.replaced:.3g} against another), {sampled.reader:.3g} for the reader, who "
            "counts "
            f"closed groups of two or more, and {sampled.tried:.3g} for both together."
        )
    rows = [(str(d.columns), f"{d.people:,}", percent(d.people / people)) for d in opened.depths]
    return Section(
        "opened",
        "What was opened",
        lead,
        (
            *((PageGrid("How many people have a row", *_estimated(sampled)),) if sampled else ()),
            PageGrid(
                "People by open columns", ("columns open", "people", "share"), rows, (0, 1, 2)
            ),
            PageGrid(
                "Groups that stayed closed",
                ("people in it", "groups"),
                [(f"{size.people:,}", f"{size.groups:,}") for size in opened.closed],
                (0, 1),
            ),
        ),
    )
