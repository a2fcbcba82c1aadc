"""The coverage of the search: every attack of the catalogue, and every countermeasure.

An attack is found by a strategy of the search, is in its space without reading a person's row, or
is outside its space for a reason. A countermeasure that is switched off allows a find that fails
with it on, or a reason says why the swap test cannot see its effect. The table is data
(search_coverage.json); a test plays its claims.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import field
from veilmix.scenarios.schema.model import DeviationSection
from veilmix.scenarios.serialization.record import Record
from veilmix.scenarios.serialization.shipped_table import read_shipped

FILE = Path(__file__).parent / "search_coverage.json"
SCHEMA = 1
BASE = "titanic"  # the scenario that gives the other keys, unless a row names another
Keys = dict[
    str, bool | int | float | str
]  # what is changed in the scenario of the table of results


class AttackCoverage(Record, frozen=True):
    """The coverage of an attack of the catalogue.

    Attributes:
        attack: its name.
        how: found by a strategy; played, without reading a row; or outside the space.
        why: in words.
        keys: changes of the scenario in which the strategy is found or played.
        strategy: that finds it, or that is played.
        members: the coalition; (): the member that deviates first.
        base: the scenario that gives the other keys.
    """

    attack: str
    how: Literal["found", "played", "outside"]
    why: str
    keys: Keys = field(default_factory=dict)
    strategy: tuple[DeviationSection, ...] = ()
    members: tuple[str, ...] = ()
    base: str = BASE


class GuardCoverage(Record, frozen=True):
    """The coverage of a countermeasure.

    Attributes:
        guard: its name.
        how: a find without it, or a reason.
        why: in words.
        off, on: the scenario without it and with it.
        members: the coalition that finds.
        strategy: that finds; (): by watching.
        base: the scenario that gives the other keys.
    """

    guard: str
    how: Literal["find", "reason"]
    why: str
    off: Keys = field(default_factory=dict)
    on: Keys = field(default_factory=dict)
    members: tuple[str, ...] = ()
    strategy: tuple[DeviationSection, ...] = ()
    base: str = BASE


class Coverage(Record, frozen=True):
    """The whole table.

    Attributes:
        schema: of this record.
        attacks: by name.
        guards: by name.
        refusals: checks of the messages of one kind of program, by the row of a `guards.toml`, or
            by the countermeasure that is switched off there.
    """

    schema: int
    attacks: tuple[AttackCoverage, ...]
    guards: tuple[GuardCoverage, ...]
    refusals: tuple[GuardCoverage, ...] = ()


@cache
def coverage() -> Coverage:
    """Return the table of this version. StorageError if it is damaged."""
    return read_shipped(FILE, Coverage, SCHEMA)
