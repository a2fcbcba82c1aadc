"""`equivocate`: the curator announces another session to one user, with ballots without salt."""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import CURATOR, Attack, Measured, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the curator show the target another announcement; the target itself is honest."""
    setup.lies[entry.attack] = note_of(number)
    setup.lied_to = target(entry)
    # The misled target is an honest user, so it runs in a task of its own.
    setup.places[target(entry)] = lambda network, party: network.join(party)


def picked_out(scene: Scene, fault: Fault) -> Measured:
    """Return the number of the target's values that the curator reads, and the number of columns.

    The target's ballots are the only ballots without salt.
    """
    row = exploits.unsalted(scene.loot((parties.CURATOR,)), 1)
    return scene.right(parties.index(target(fault)), row), len(scene.people.schema.names)


ATTACK = Attack(
    by=CURATOR,
    does="tells one person of another session, in which ballots have no salt",
    remedy=(
        "`bind`: its layers open nowhere; `compare`: no answer, and the announcement is shown; "
        "`registered`: the signature is for another session"
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
