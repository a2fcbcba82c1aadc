"""The search for attacks in a run's folder: `search.json`, and a scenario file of every find.

A find is a strategy of deviations by which a coalition reads data of people. The search is no part
of the run, so the folder's seal (its checksums) does not cover it. Only its owner may read it.
"""

from pathlib import Path

from msgspec.structs import replace

from ....errors import StorageError
from ....strict_text import Unreadable, from_json
from ...schema.dump import dump
from ...schema.model import DeviationSection, Scenario
from ...serialization.atomic_file import write_whole
from ...serialization.bounded_file import read_bounded
from ...serialization.json_text import pretty
from ...serialization.record import plain
from .search_result import SCHEMA, CoalitionResult, SearchResult
from .search_session import small

SEARCH = "search.json"
FOLDER = "search"  # subfolder for the scenario files that play found strategies again
LARGEST = 1 << 24  # largest search.json that is read, in bytes
REMEDY = "remove it, and `veilmix leak RUN --search` searches again"


def read(folder: Path) -> SearchResult | None:
    """Return the search for attacks in a run's folder; None if there is no such file.

    Raises StorageError.
    """
    path = folder / SEARCH
    if not path.is_file():
        return None
    try:
        search_result = from_json(read_bounded(path, LARGEST, "search"), SearchResult)
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no search: {bad.why}; {REMEDY}") from None
    if search_result.schema != SCHEMA:
        raise StorageError(
            f"{path}: schema {search_result.schema}; this version reads {SCHEMA}; {REMEDY}"
        )
    return search_result


def save(search_result: SearchResult, folder: Path) -> Path:
    """Write a search for attacks into a run's folder, over an older search; return its path.

    Raises StorageError.
    """
    path = folder / SEARCH
    write_whole(path, pretty(plain(search_result)), force=True, private=True)
    return path


def grown(begun: SearchResult, older: SearchResult | None) -> SearchResult:
    """Return a new search with the coalitions that an older search has already searched.

    If the parameters of the two searches differ, the older results do not apply, and the new search
    is returned as it is.
    """
    if older is None:
        return begun
    is_same_search = replace(older, coalitions=(), whole=begun.whole) == begun
    return replace(begun, coalitions=older.coalitions) if is_same_search else begun


def replay(scenario: Scenario, strategy: tuple[DeviationSection, ...]) -> Scenario:
    """Return a scenario in which the small session of the search carries out a strategy again.

    scenario: the scenario that gives the countermeasures. strategy: its deviations, as in a file.
    """
    return replace(small(scenario), deviation=strategy)


def file_of(result: CoalitionResult) -> str:
    """Return the path, within the run's folder, of the scenario file that plays a find again.

    result: the result of a coalition with a find (a strategy by which it reads data of people).
    """
    return f"{FOLDER}/{'+'.join(result.members)}.toml"


def save_finds(search_result: SearchResult, scenario: Scenario, folder: Path) -> None:
    """Write a scenario file for each find: a strategy by which a coalition reads data of people.

    Raises StorageError.
    """
    for result in search_result.finds:
        assert result.find is not None  # noqa: S101 - `finds` gives no others
        path = folder / file_of(result)
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as wrong:
            raise StorageError(f"{path.parent}: {wrong.strerror or wrong}") from None
        write_whole(path, dump(replay(scenario, result.find.strategy)), force=True, private=True)
