"""Schemas of `result.json`, and the conversion of data of an older schema."""

from collections.abc import Callable, Mapping
from typing import Any

SCHEMA = 4
FLAT = 1  # this schema had the findings of each program under a key of its own
BARE = 2  # up to this one the worst case was a number, which did not say that it is a bound
UNLIMITED = 3  # up to this one the limits of the search for it were not recorded
READ = (FLAT, BARE, UNLIMITED, SCHEMA)
MOVED: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "rounds": ("hierarchical", lambda rounds: {"rounds": rounds}),
    "blanks": ("local-suppression", dict),
    "local": ("randomized", dict),
    "incidence": ("incidence", dict),
}  # key of schema 1 -> the program, and how its findings are made of it


def current(data: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of a result as this version writes them: older schemas are moved over."""
    moved = dict(data)
    schema = moved.get("schema")
    if schema == FLAT:
        for key, (program, convert) in MOVED.items():
            if key in moved:
                moved["findings"] = {"program": program, **convert(moved.pop(key))}
    if schema in (FLAT, BARE):
        moved["exposure"] = _with_bounds(moved.get("exposure"))
    if schema in (FLAT, BARE, UNLIMITED):
        moved["schema"] = SCHEMA
        moved["exposure"] = _without_search(moved.get("exposure"))
    return moved


def _with_bounds(exposure: Any) -> Any:
    """The exposure of an older result: its worst case was the upper bound alone.

    The release is itself a table with these marginals, so its exposure bounds it from below.
    """
    if not isinstance(exposure, Mapping):
        return exposure  # damaged, which the reader says
    true, high = exposure.get("true"), exposure.get("worst_case")
    if not isinstance(true, int | float) or not isinstance(high, int | float):
        return exposure
    return {**exposure, "worst_case": {"low": true, "high": high, "proven": true == high}}


def _without_search(exposure: Any) -> Any:
    """The exposure of an older result: the limits of the search are not known."""
    worst = exposure.get("worst_case") if isinstance(exposure, Mapping) else None
    if not isinstance(worst, Mapping) or "search" in worst:
        return exposure  # nothing was sought, or the record is damaged, which the reader says
    return {**exposure, "worst_case": {**worst, "search": None}}
