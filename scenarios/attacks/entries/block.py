"""`block`: the network loses the messages of some people."""

from ....protocol.knowledge.adversary_view import senders
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Measured, RowsRead, aimed, by_some
from ..catalogue.fault_entries import drawn, rounds_of
from ..catalogue.measures import uncounted
from ..catalogue.people_subtraction import missing_between
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import with_curator
from ..faults.wire import BlockingWire


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the network lose the messages of the users drawn for this entry of `[[fault]]`.

    number: the entry's place in the file.
    """
    struck = drawn(entry, setup.people, setup.rng)
    setup.adversary.struck[number] = struck
    setup.wires.append(BlockingWire(struck.__contains__, rounds_of(entry), note_of(number)))


def missing_people(scene: Scene, fault: Fault) -> Measured:
    """Return the number of people missing in the last round, and the number of all people.

    The number missing is at most the number of senders that the network saw in that round.
    """
    loot, (missing, maximum) = scene.loot((parties.NETWORK,)), uncounted(scene, fault)
    return min(missing, len(senders(loot, len(loot.board.tallies)))), maximum


ATTACK = Attack(
    by=NETWORK,
    does="loses the messages of some people",
    remedy=(
        "`min_dropout`: a round that people left, but fewer than this, aborts; else nothing: a "
        "person not accepted cannot prove having sent"
    ),
    scenario="attack-block",
    unit="people not counted",
    waits="a message of one of those whom it strikes",
    measure=missing_people,
    reads=("users", "share", "round", "target"),
    stopped_by=("dropout",),
    trials={"": by_some(round=2), "one": aimed(round=2)},
    rows_read=RowsRead(
        unit="released values read of people whose messages were lost",
        measure=missing_between,
        helpers=with_curator,
    ),
    commit=commit,
)
