"""The version numbers of `result.json`, and the conversion of data of older versions."""

from collections.abc import Callable, Mapping
from typing import Any

SCHEMA = 4
# version in which the findings of each release program had a key of their own at the top level
FLAT = 1
# last version in which the worst case was one number, although it could be a mere upper bound
BARE = 2
UNLIMITED = 3  # last version without the limits of the search for the worst case
READ = (FLAT, BARE, UNLIMITED, SCHEMA)
MOVED: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "rounds": ("hierarchical", lambda rounds: {"rounds": rounds}),
    "blanks": ("local-suppression", dict),
    "local": ("randomized", dict),
    "incidence": ("incidence", dict),
}  # key of version 1 -> the release program, and a function that returns the program's findings


def current(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of result.json in today's form; data of older versions are converted."""
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
    """Return the exposure of an older result with bounds on the worst case.

    Older versions recorded the upper bound alone. The release is itself a table with the released
    marginals, so its true exposure is a lower bound.
    """
    if not isinstance(exposure, Mapping):
        return exposure  # malformed: left unchanged, so that reading the file reports the error
    true, high = exposure.get("true"), exposure.get("worst_case")
    if not isinstance(true, int | float) or not isinstance(high, int | float):
        return exposure
    return {**exposure, "worst_case": {"low": true, "high": high, "proven": true == high}}


def _without_search(exposure: Any) -> Any:
    """Return the exposure of an older result in today's form; the limits of its search are None."""
    worst = exposure.get("worst_case") if isinstance(exposure, Mapping) else None
    if not isinstance(worst, Mapping) or "search" in worst:
        # Unchanged if no worst case is recorded, or its search is recorded already. Malformed data
        # stay unchanged too, so that reading the file reports the error.
        return exposure
    return {**exposure, "worst_case": {**worst, "search": None}}
