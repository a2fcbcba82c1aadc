"""The shipped table of search results, for the standard sets of guards.

`python tools/make_search.py` plays it and writes search_table.json; a test replays a fixed part of
it. A result is cited with its limits: so many strategies of these kinds, six people, these seeds.
"""

from functools import cache
from pathlib import Path

from ...schema.model import Scenario
from ...serialization.record import Record
from ...serialization.shipped_table import read_shipped
from ..cheating.trust_table import guards_on
from .search_result import SearchResult
from .search_session import program_name, small, unsearched

FILE = Path(__file__).parent / "search_table.json"
SCHEMA = 1


class GuardSearch(Record, frozen=True):
    """The search result with one named set of guards.

    Attributes:
        name: the set, in words.
        result: the result of the search.
    """

    name: str
    result: SearchResult


class SearchTable(Record, frozen=True, kw_only=True):
    """The search results for all standard sets of guards.

    Attributes:
        schema: the number of the format of this record.
        version: the version of veilmix that wrote it.
        sets: the searches.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSearch, ...]


@cache
def shipped() -> SearchTable:
    """Return the table that this version ships. StorageError if it is damaged."""
    return read_shipped(FILE, SearchTable, SCHEMA)


def recorded(scenario: Scenario) -> GuardSearch | None:
    """Return the recorded search with the guards of a scenario; None without such a record."""
    if unsearched(scenario):
        return None
    searched = small(scenario)
    policy, shufflers = searched.policy, searched.mix.shufflers
    keys = guards_on(searched), policy.publish_marginals, program_name(searched), shufflers
    for record in shipped().sets:
        result = record.result
        if (result.guards, result.public, result.program, result.shufflers) == keys:
            return record
    return None
