"""Tables of all attacks and of all guards; a record is imported when it is first used.

    ATTACKS["drop-people"]     the record of scenarios/attacks/entries/drop_people.py
    GUARDS["receipts"]         the record of scenarios/attacks/guards/receipts.py

A table yields attacks in the order of their attacker's role, then of names; guards by name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from ...programs.topology import CENTRAL
from ...schema.attack_names import attack_homes, attack_names
from ...schema.plugs import load
from .attack import COMMITTERS, Attack, PeerAttack
from .guard import Guard

if TYPE_CHECKING:
    from ...schema.model import Fault

T = TypeVar("T")

PACKAGE = __name__.rpartition(".catalogue")[0]  # the package `scenarios.attacks`
GUARD_FILES = Path(__file__).parent.parent / "guards"


class RecordTable(Mapping[str, T], Generic[T]):
    """A read-only mapping from names to records (attacks or guards), each loaded at its first use.

    Args:
        names: returns all names.
        load: returns the record of a name.
        order: returns the rank by which the table yields a record, before its name.
    """

    def __init__(
        self,
        names: Callable[[], tuple[str, ...]],
        load: Callable[[str], T],
        order: Callable[[T], int] = lambda _record: 0,
    ) -> None:
        """Keep the functions of the table; its names and records are cached.

        names: returns all names. load: returns the record of a name. order: returns the rank by
        which the table yields a record.
        """
        self._names = cache(names)
        self._load = cache(load)
        self._order = order

    def __getitem__(self, name: str) -> T:
        """Return the record of a name. Raises KeyError for an unknown name."""
        if name not in self._names():
            raise KeyError(name)
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names by rank, then alphabetically; this loads all records."""
        return iter(sorted(self._names(), key=lambda name: (self._order(self[name]), name)))

    def __len__(self) -> int:
        """The number of records."""
        return len(self._names())


def _attack(name: str) -> Attack:
    """Return the record of an attack, imported from the file that the attack is registered in."""
    attack: Attack = load(attack_homes()[name])
    return attack


def _guard(name: str) -> Guard:
    """Return the record of a guard: the constant `GUARD` of the file in `guards` with its name."""
    guard: Guard = import_module(f"{PACKAGE}.guards.{name}").GUARD
    return guard


def _guard_names() -> tuple[str, ...]:
    """Return the names of all guards: the files of the folder `guards`, without private files."""
    stems = sorted(path.stem for path in GUARD_FILES.glob("*.py"))
    return tuple(stem for stem in stems if not stem.startswith("_"))


ATTACKS: Mapping[str, Attack] = RecordTable(
    attack_names, _attack, lambda attack: COMMITTERS.index(attack.by)
)
GUARDS: Mapping[str, Guard] = RecordTable(_guard_names, _guard)


def committed(topology: str) -> Mapping[str, Attack | PeerAttack]:
    """Return the attacks that parties can commit in a topology, by name.

    The topology is central parties, or peers. Each attack has its form for this topology.
    """
    return {name: how for name, attack in ATTACKS.items() if (how := attack.among(topology))}


def guarding(topology: str) -> Mapping[str, Guard]:
    """Return the guards that exist in a topology (central parties, or peers), by name."""
    return {name: guard for name, guard in GUARDS.items() if topology in guard.among}


def helping(attack: str, topology: str = CENTRAL.name) -> tuple[str, ...]:
    """Return the names of guards (countermeasures) that are declared to stop or show an attack.

    () if no party can commit the attack in the topology.
    """
    how = ATTACKS[attack].among(topology)
    declared_guards = how.stopped_by if how else ()
    guard_names = (name for name, guard in guarding(topology).items() if attack in guard.stops)
    return tuple(dict.fromkeys((*declared_guards, *guard_names)))


def sybils(entries: "Iterable[Fault]") -> int:
    """Return the number of invented participants that the attacks of these entries add."""
    return sum(fault.users or 0 for fault in entries if ATTACKS[fault.attack].sybils)
