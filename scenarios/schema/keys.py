"""The keys of a scenario that can be changed singly, by their dotted paths.

    policy.k            a key of a table that occurs once
    fault[0].share      a key of an entry in a list of tables; entries count from 0
    policy.keep         a set of columns, as a text with the names joined by `+`: `age+sex`

Other lists, and whole tables, have no such path.
"""

import re

from msgspec import inspect

from .model import Scenario
from .problems import Path
from .shape import entries, misfit, settings, type_at

COLUMN_SETS = ("policy.keep", "policy.required", "policy.forbidden")
JOINT = "+"  # joins the column names of a set of columns
_KEY = re.compile(r"(\w+)(?:\[(\d+)\])?\.(\w+)")


def keys(scenario: Scenario) -> tuple[str, ...]:
    """Return the dotted path of every key of this scenario that can be changed singly.

    Such a key holds a plain value (text, number, true or false) or a set of columns.
    """
    listed = (
        f"{table}[{i}].{key}"
        for table, key in entries()
        for i in range(len(getattr(scenario, table)))
    )
    return (*settings(), *COLUMN_SETS, *listed)


def place(key: str) -> Path | None:
    """Return the parts of a dotted path: `fault[0].share` gives ("fault", 0, "share").

    None if the text is no dotted path.
    """
    matched = _KEY.fullmatch(key)
    if matched is None:
        return None
    table, index, inner = matched.groups()
    return (table, inner) if index is None else (table, int(index), inner)


def type_of(key: str) -> inspect.Type | None:
    """Return the type of the value at a dotted path; None for an unknown key."""
    parts = place(key)
    return type_at(parts) if parts else None


def value_at(key: str, value: object) -> object:
    """Return the value to store at a key; for a set of columns the text becomes a list of names."""
    return value.split(JOINT) if key in COLUMN_SETS and isinstance(value, str) else value


def axis_misfit(key: str, value: object) -> str | None:
    """Return an error text if a value does not fit a key that a study varies; None if it fits.

    Unknown keys give None as well, because another check reports them.
    """
    if key not in COLUMN_SETS:
        type_ = type_of(key)
        return misfit(value, type_) if type_ else None
    if isinstance(value, str) and all(value.split(JOINT)):
        return None
    return f"found {value!r}; names of features joined by '{JOINT}' are accepted, as age{JOINT}sex"
