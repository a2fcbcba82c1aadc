"""The shipped table of search results, for the standard sets of guards (countermeasures).

`python tools/make_search.py` makes search_table.json; a test plays a fixed part of it again. A
result is cited with its limits: the number and kinds of strategies, six people, these seeds.
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
    """The result of the search for attacks with one named set of guards (countermeasures).

    Attributes:
        name: the name of the set of guards, in words.
        result: the result of the search.
    """

    name: str
    result: SearchResult


class SearchTable(Record, frozen=True, kw_only=True):
    """The results of the search for attacks, for all standard sets of guards (countermeasures).

    Attributes:
        schema: the number of the format of this record.
        version: the version of veilmix that wrote the table.
        sets: one result for each set of guards.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSearch, ...]


@cache
def shipped() -> SearchTable:
    """Return the table of search results that this version ships. StorageError if it is damaged."""
    return read_shipped(FILE, SearchTable, SCHEMA)


def recorded(scenario: Scenario) -> GuardSearch | None:
    """Return the shipped search result with the same guards (countermeasures) as a scenario.

    None if the table has no such result, or the scenario cannot be searched.
    """
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
