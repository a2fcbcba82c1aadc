"""The results of the search for the standard sets of guards: a shipped table.

`python tools/make_search.py` plays it and writes search_table.json; a test replays a fixed part of
it. A result is cited with its limits: so many strategies of these kinds, six people, these seeds.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ....protocol.wire.parties import ANALYST, Role, role
from ...lab.validation.load import load
from ...programs.registry import program_of
from ...schema.model import Scenario
from ...serialization.record import Record
from ...serialization.shipped_table import read_shipped
from ..cheating.trust_table import guards_on
from ..matrix.attack_plan import changed
from .attack_search import coalitions_of
from .search_result import SearchResult
from .search_session import program_name, small, unsearched
from .search_text import summary

FILE = Path(__file__).parent / "search_table.json"
SCHEMA = 1
BASE = "titanic"  # the scenario whose other keys the sets keep
PUBLIC = {"policy.publish_marginals": True}
REGISTERED = {**PUBLIC, "defence.registered": True, "defence.balance": True}
TOKENS = {**REGISTERED, "defence.tokens": True, "defence.challenge": True}
ASKING = {**REGISTERED, "policy.kind": "hierarchical", "policy.curator_exposure": 0.0}
SECRET = {"policy.publish_marginals": False}
DEFAULT = "those that are on where nothing is said"  # the name of a set
SETS: Mapping[str, Mapping[str, object]] = {
    DEFAULT: {},
    "`registered` and `balance`, marginals public": REGISTERED,
    "`tokens` and `challenge`, marginals public": TOKENS,
    "all, marginals public": {
        **TOKENS,
        "defence.audit": True,
        "defence.recompute": True,
    },
    "`hierarchical`, `registered` and `balance`, marginals secret": {**ASKING, **SECRET},
    "`hierarchical`, `registered` and `balance`, marginals public": ASKING,
    "`threshold` of whole rows, those that are on where nothing is said": {
        "policy.prefixes": False
    },
    "`threshold` of prefixes, people not registered": {"defence.registered": False},
    "`randomized` answers, those that are on where nothing is said": {},
    "`randomized` answers, people not registered": {"defence.registered": False},
    "`incidence` of sets, those that are on where nothing is said": {},
    "`incidence` of sets, people not registered": {"defence.registered": False},
}  # name -> changes of the base
PAIRED = (DEFAULT, *(name for name in SETS if name.startswith("`hierarchical`")))  # with pairs
TIMED = (
    DEFAULT,
    "`registered` and `balance`, marginals public",
    "`randomized` answers, those that are on where nothing is said",
    "`randomized` answers, people not registered",
    "`incidence` of sets, those that are on where nothing is said",
    "`incidence` of sets, people not registered",
)  # views have the exact times of posts too
BASES = {
    "`threshold`": "threshold-titanic",
    "`randomized`": "randomized-class",
    "`incidence`": "incidence-class",
}  # first word of a set -> another base


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
        sets: the searches.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSearch, ...]


def recorded_coalitions(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the coalitions that are recorded of a set: each party alone, and each with a person.

    Of programs that ask again, each party alone. If only k people open a row, also each party with
    the analyst, which holds the closed rows.
    """
    searched = small(scenario_of(name))
    program = program_of(searched)
    most_members = 1 if program.deepens else 2
    return tuple(
        members
        for members in coalitions_of(searched)
        if len(members) == 1
        or (len(members) <= most_members and role(members[-1]) is Role.USER)
        or (program.opens and ANALYST in members)
    )


def scenario_of(name: str) -> Scenario:
    """Return the scenario with one set of guards."""
    return changed(load(BASES.get(name.split(maxsplit=1)[0], BASE)), SETS[name], ())


@cache
def shipped() -> SearchTable:
    """Return the table of this version. StorageError if it is damaged."""
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


def cited(scenario: Scenario) -> str:
    """Return the summary of the recorded search with a scenario's guards; empty without it."""
    record = recorded(scenario)
    return summary(record.result) if record is not None else ""
