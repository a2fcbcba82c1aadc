"""Words that several parts of a page share."""

from ..number_text import plural

NAMED = 6  # values or coalitions that are named one by one


def people(number: int) -> str:
    """Return a number of people in words."""
    return plural(number, "person", "people")


def listed(names: list[str]) -> str:
    """Return the first few names, and the number of further names."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
