"""The results of the search for the standard sets of guards: a shipped table.

`python tools/make_search.py` plays it and writes search_table.json; a test replays a fixed part of
it. A result is cited as what it is: so many strategies of these kinds, six people, these seeds.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..schema.model import Scenario
from ..serialization.record import Record
from ..serialization.shipped_table import read_shipped
from ..validation.load import load
from .attack_plan import changed
from .search_result import SearchResult
from .search_session import is_searchable, small
from .search_text import summary
from .trust_table import guards_on

FILE = Path(__file__).parent / "search_table.json"
SCHEMA = 1
BASE = "titanic"  # the scenario whose other keys the sets keep
PUBLIC = {"policy.publish_marginals": True}
REGISTERED = {**PUBLIC, "defence.registered": True, "defence.balance": True}
TOKENS = {**REGISTERED, "defence.tokens": True, "defence.challenge": True}
SETS: Mapping[str, Mapping[str, object]] = {
    "those that are on where nothing is said": {},
    "`registered` and `balance`, marginals public": REGISTERED,
    "`tokens` and `challenge`, marginals public": TOKENS,
    "all, marginals public": {
        **TOKENS,
        "defence.audit": True,
        "defence.recompute": True,
    },
}  # name -> what is changed in the base


class GuardSearch(Record, frozen=True):
    """The search with one set of guards.

    Attributes:
        name: the set, in words.
        result: of the search.
    """

    name: str
    result: SearchResult


class SearchTable(Record, frozen=True, kw_only=True):
    """The results for all sets.

    Attributes:
        schema: of this record.
        version: of veilmix.
        sets: one after the other.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSearch, ...]


def scenario_of(name: str) -> Scenario:
    """Return the scenario with one set of guards."""
    return changed(load(BASE), SETS[name], ())


@cache
def shipped() -> SearchTable:
    """Return the table of this version. StorageError if it is damaged."""
    return read_shipped(FILE, SearchTable, SCHEMA)


def recorded(scenario: Scenario) -> GuardSearch | None:
    """Return the recorded search with the guards of a scenario; None if there is none."""
    if not is_searchable(scenario):
        return None
    searched = small(scenario)
    wanted = guards_on(searched), searched.policy.publish_marginals, searched.mix.shufflers
    for known in shipped().sets:
        result = known.result
        if (result.guards, result.public, result.shufflers) == wanted:
            return known
    return None


def cited(scenario: Scenario) -> str:
    """Return what the recorded search found with the guards of a scenario; empty if none is."""
    known = recorded(scenario)
    return summary(known.result) if known is not None else ""
