"""Words that several parts of a page share."""

from ..scenarios.wording import many

NAMED = 6  # values or coalitions that are named one by one


def people(number: int) -> str:
    """So many people."""
    return many(number, "person", "people")


def listed(names: list[str]) -> str:
    """The first few of some names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
