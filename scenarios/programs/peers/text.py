"""The messages that coalitions of peers follow, as rows for terminal, file and page."""

from msgspec.structs import astuple

from ....presentation.wording import percent
from ..peer_findings import PeersFound, Spread

SIZES = (
    "members",
    "coalitions",
    "messages followed",
    "expected",
    "people linked",
    "whole rows linked",
)
ENDS = ("mean", "low_95", "high_95")


def rows_by_size(among: PeersFound) -> list[tuple[str, ...]]:
    """Return a row of texts per coalition size, in the columns SIZES."""
    return [
        (
            f"{size.size:,}",
            f"all {size.coalition_count:,}"
            if size.tried == size.coalition_count
            else f"{size.tried:,} drawn",
            _between(size.onions, share=True),
            percent(size.expected),
            f"{_between(size.people)} of {among.peers - size.size:,}",
            _between(size.rows),
        )
        for size in among.sizes
    ]


def _between(spread: Spread, *, share: bool = False) -> str:
    """Return a mean as text, with its 95 % interval if it is wide; the lower end is at least 0."""
    mean = percent(spread.mean) if share else f"{spread.mean:.2f}"
    if spread.low == spread.high:
        return mean
    ends = (percent(x) if share else f"{x:.2f}" for x in (max(spread.low, 0.0), spread.high))
    return f"{mean} ({' to '.join(ends)})"


def numbers(among: PeersFound) -> tuple[tuple[str, ...], list[tuple[int | float, ...]]]:
    """Return the same as numbers: headings, and rows."""
    parts = [f"{name}_{end}" for name in ("onions", "people", "rows") for end in ENDS]
    rows = [
        (
            *(size.size, size.tried, size.coalition_count, size.expected),
            *(end for part in (size.onions, size.people, size.rows) for end in astuple(part)),
        )
        for size in among.sizes
    ]
    return ("members", "tried", "all", "expected", *parts), rows
