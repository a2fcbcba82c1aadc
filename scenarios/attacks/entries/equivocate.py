"""`equivocate`: the curator shows one user an announcement that demands ballots without salt.

A salt is a random value in each ballot. All other users add it, so the curator recognizes the
ballots of the misled user.
"""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import CURATOR, Attack, Measured, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the curator show a false announcement to the target, which is an honest user.

    number: the place of the entry in the scenario file.
    """
    setup.lies[entry.attack] = note_of(number)
    setup.lied_to = target(entry)
    # An ordinary endpoint, because the target is honest. Its entry gives the target a task of its
    # own: users in a common task all read the same board.
    setup.places[target(entry)] = lambda network, party: network.join(party)


def picked_out(scene: Scene, fault: Fault) -> Measured:
    """Return the number of the target's values that the curator reads, and the number of columns.

    The curator recognizes the target's ballots, because only these have no salt (random value): its
    false announcement told the target to add no salt.
    """
    row = exploits.unsalted(scene.loot((parties.CURATOR,)), 1)
    return scene.right(parties.index(target(fault)), row), len(scene.people.schema.names)


ATTACK = Attack(
    by=CURATOR,
    does="tells one person of another session, and knows its ballots by their lack of salt",
    remedy=(
        "`bind`: its layers open nowhere; `compare`: the person sees that the board differs, "
        "raises an alarm and does not answer; `registered`: the signature is for another session"
    ),
    scenario="attack-equivocate",
    unit="values of the target read",
    waits="the announcement, which the last such entry alone tells otherwise",
    learns=wholly,
    measure=picked_out,
    reads=("target",),
    stopped_by=("bind", "compare", "registered"),
    trials={"": aimed()},
    commit=commit,
)
