"""Sessions of registered people in one process, whose first shuffler or curator keeps a ledger.

The parties are real; only the machines between them are left out. Imported by its name.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from veilmix.crypto.identity import make_identity
from veilmix.machines.directory import Directory
from veilmix.protocol.board.board import Board
from veilmix.protocol.history.shuffler_history import History
from veilmix.protocol.wire.messages import Registry, Roster
from veilmix.roles.session import play
from veilmix.scenarios.deployment.ledger import Keeper, with_ledger
from veilmix.scenarios.deployment.ledger_heads import LedgerHead
from veilmix.scenarios.deployment.session_file import SessionFile
from veilmix.scenarios.lab.ledger.account import Account
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.populations.samples import samples
from veilmix.scenarios.schema.model import Scenario

ROWS = [(a, b) for a in ("red", "blue") for b in ("cat", "dog") for _ in range(15)] * 2
GONE = (0, 1, 2, 15, 16, 30, 31, 32, 45, 46)
CURATOR = "curator"
IDENTITIES = {name: make_identity(name) for name in ("shuffler-1", CURATOR, "analyst")}
UNKNOWN = "since their counts are not known before the release"


def session(folder: Path, people: Sequence[int], **switches: Any) -> tuple[SessionFile, Scenario]:
    """A session of registered people, and the scenario in which they answer."""
    name = f"session {people[0]}-{len(people)}"
    file = folder / f"{name}.csv"
    file.write_text("\n".join(["a,b", *(",".join(ROWS[person]) for person in people)]) + "\n")
    data: dict[str, Any] = {
        "scenario": {"name": "survey", "seed": 7},
        "population": {"source": str(file)},
        "policy": {"k": 5, "max_exposure": 0.2, "kind": "all"},
        "defence": {"registered": True},
    }
    for key, value in switches.items():
        table, _, inner = key.partition("__")
        if inner:
            data[table][inner] = value
        else:
            data[table] = value
    scenario = msgspec.convert(data, Scenario)
    keys = Registry(tuple(person.to_bytes(32, "big") for person in people))
    opening = name.encode().ljust(16, b".")
    roster = Roster(opening, *(bytes([party]) * 32 for party in range(3)), ())
    schema = samples(scenario, 7).people.schema
    return SessionFile(scenario, schema, Directory({}), roster, {}, keys), scenario


def parties(scenario: Scenario, place: str, history: History) -> Board:
    """All parties, in one process; the first shuffler or the curator remembers."""
    crowd = samples(scenario, 7)
    faults = draw_faults(scenario, crowd.people.n, 7)
    plan = SessionPlan.from_scenario(scenario, crowd, faults)
    cast = cast_of(plan, 7)
    guards = cast.guards
    if place == CURATOR:
        return play(replace(cast, guards=replace(guards, curators=history)))
    return play(replace(cast, guards=replace(guards, history=history)))


def keeper(book: Path, place: str = "shuffler-1") -> Keeper:
    return Keeper(place, IDENTITIES[place], book)


def held(
    book: Path,
    folder: Path,
    people: Sequence[int],
    place: str = "shuffler-1",
    heads: Sequence[LedgerHead] = (),
    **switches: Any,
) -> tuple[Board, Account]:
    served, scenario = session(folder, people, **switches)
    served = replace(served, heads={head.name: head for head in heads})
    return with_ledger(served, keeper(book, place), partial(parties, scenario, place))
