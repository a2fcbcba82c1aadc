"""What coalitions of peers follow, as rows: the same in a terminal, in a file and on a page."""

from msgspec.structs import astuple

from ...wording import percent
from .score import PeersFound, Spread

SIZES = (
    "members",
    "coalitions",
    "messages followed",
    "expected",
    "people linked",
    "whole rows linked",
)
ENDS = ("mean", "low_95", "high_95")


def rows_by_size(found: PeersFound) -> list[tuple[str, ...]]:
    """Rows for SIZES."""
    return [
        (
            f"{one.size:,}",
            f"all {one.all_:,}" if one.tried == one.all_ else f"{one.tried:,} drawn",
            _between(one.onions, share=True),
            percent(one.expected),
            f"{_between(one.people)} of {found.peers - one.size:,}",
            _between(one.rows),
        )
        for one in found.sizes
    ]


def _between(one: Spread, *, share: bool = False) -> str:
    """A mean, and its 95 % interval where it has one; no share is below 0."""
    mean = percent(one.mean) if share else f"{one.mean:.2f}"
    if one.low == one.high:
        return mean
    ends = (percent(x) if share else f"{x:.2f}" for x in (max(one.low, 0.0), one.high))
    return f"{mean} ({' to '.join(ends)})"


def numbers(found: PeersFound) -> tuple[tuple[str, ...], list[tuple[int | float, ...]]]:
    """The same as numbers: headings, and rows."""
    parts = [f"{name}_{end}" for name in ("onions", "people", "rows") for end in ENDS]
    rows = [
        (
            *(one.size, one.tried, one.all_, one.expected),
            *(end for part in (one.onions, one.people, one.rows) for end in astuple(part)),
        )
        for one in found.sizes
    ]
    return ("members", "tried", "all", "expected", *parts), rows
