"""`split-view`: the board's keeper shows one user a forged board with the attacker's keys."""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Measured, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.board import misled


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the board show the target, which is honest, a forged board.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    forging = setup.entropy(f"another board {number}")
    setup.places[target(entry)] = misled(forging, note_of(number))


def read_there(scene: Scene, fault: Fault) -> Measured:
    """Return the number of the target's values read with the forged board's keys, and of columns.

    An encrypted answer to a forged key opens with the attacker's secret key.
    """
    loot = exploits.on_the_forged_board(scene.loot((parties.NETWORK,)))
    index = parties.index(target(fault))
    row = exploits.open_envelopes(loot, 1).get(index, {})
    return scene.right(index, row), len(scene.people.schema.names)


ATTACK = Attack(
    by=NETWORK,
    does="keeps the board too, and shows one person another, with keys of its own",
    remedy=(
        "`signed`: keys known beforehand sign posts; two signed heads of different logs prove the "
        "lie"
    ),
    scenario="attack-split-view",
    unit="values of the target read",
    waits="a post that the target is shown otherwise, which the last entry with that target does",
    learns=wholly,
    measure=read_there,
    reads=("target",),
    stopped_by=("signed",),
    trials={"": aimed()},
    commit=commit,
)
