"""`single-out`: the first shuffler forwards only the target's answers to an accomplice, the reader.

Known rows replace the answers of all other users, so the unknown row that the reader opens is the
target's. A countermeasure that aborts the round comes too late if the ballots are opened already.
"""

from msgspec.structs import replace

from ....protocol.knowledge.batch_subtraction import AccompliceRows, singled_out
from ....protocol.wire import parties
from ....protocol.wire.parties import ANALYST, CURATOR, shuffler
from ...schema.model import Fault, Policy
from ..catalogue.attack import SHUFFLER, Attack, Measured, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import UNIT, put_in
from ..faults.shuffler import covering_rows, single_out

__all__ = ["ATTACK"]

FIRST = 1  # the attacked round, if the entry names no round


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the first shuffler replace the answers of all users but the target by known rows.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.deed(single_out, replace(entry, round=struck(entry)), number, aimed=target(entry))


def struck(entry: Fault) -> int:
    """Return the number of the attacked round; round 1 if the entry has no `round`."""
    return entry.round or FIRST


def readers(_policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the accomplice that opens the attacked round's ballots.

    The curator opens round 1; the analyst opens the round of the release.
    """
    return (CURATOR if struck(entry) == FIRST else ANALYST,)


def values_read(scene: Scene, entry: Fault) -> Measured:
    """Return the number of the target's values read, and of the columns requested in that round."""
    loot, number = scene.loot((shuffler(1), *readers(scene.settings.policy, entry))), struck(entry)
    plan = loot.plan(number)
    if plan is None:
        return 0, len(scene.people.schema.names)
    people = singled_out(loot, number, AccompliceRows({}, put_in(scene, number, covering_rows)))
    target_index = parties.index(target(entry))
    queried_columns = {column for ask in plan.call.asks for column in ask}
    return scene.right(target_index, people.get(target_index, {})), len(queried_columns)


ATTACK = Attack(
    by=SHUFFLER,
    does="keeps the target and replaces everybody else by known rows, and the reader tells them",
    remedy=(
        "`challenge`, unless all shufflers take part; `receipts`, if a replaced person checks. "
        "`tokens` and `sums` abort after the reading, unless the reader helps to the end"
    ),
    scenario="attack-single-out",
    unit=UNIT,
    waits="a batch of the first shuffler in the round that it strikes",
    learns=wholly,
    measure=values_read,
    reads=("target", "round"),
    stopped_by=("challenge", "receipts"),
    trials={
        "": aimed(by=shuffler(1), round=FIRST),
        "release": aimed(by=shuffler(1), round=FIRST + 1),
    },
    commit=commit,
    first_only=True,
    helpers=readers,
)
