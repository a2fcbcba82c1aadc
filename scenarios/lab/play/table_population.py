"""A scenario with people from a table in memory or a file, for calls from Python."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from ....errors import ScenarioError
from ....strict_text import Unreadable, from_toml
from ...populations.frame_file import MAX_LINES, file_of
from ...schema.model import Scenario
from ..validation.load import from_tables, plain


def with_people(scenario: Scenario | str, table: Any) -> Scenario:
    """Return a scenario with the people of a data frame or a file as its population.

    scenario: an object, or the text of a scenario file. table: a path, or a frame in memory. Raises
    ScenarioError if the people do not fit, ParameterError for an object that is no table.
    """
    if isinstance(scenario, str):
        try:
            data = from_toml(scenario)
        except Unreadable as bad:
            raise ScenarioError([f"scenario:{bad.line}: {bad.why}"]) from None
    else:
        data = plain(scenario)
    named = isinstance(table, str | PathLike)
    how = {"separator": ",", "decimal": ".", "header_row": 1, "last_row": MAX_LINES}
    path = Path(table) if named else file_of(table)
    data["population"] = {
        **data.get("population", {}),
        **({} if named else how),
        "source": str(path.absolute()),
    }
    return from_tables(data)
