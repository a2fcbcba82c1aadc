"""`isolate`: the network blocks all users but the target, and adds invented people."""

from ....roles.network.memory_network import EVERY_ROUND
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Keys, RowsRead
from ..catalogue.fault_entries import FIRST_USER, all_but, target
from ..catalogue.measures import bits_taken
from ..catalogue.people_subtraction import UNIT, remaining_with_invented
from ..catalogue.setup import AttackSetup
from ..faults.wire import BlockingWire


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the network block the messages of all users but the target.

    Invented people fill the batch. number: the place of the entry in the scenario file.
    """
    other_users = all_but(target(entry), setup.people)
    setup.wires.append(BlockingWire(other_users, EVERY_ROUND, note_of(number)))


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry with which the attack matrix tries this attack.

    The attack matrix runs each attack with and without countermeasures. The entry adds so many
    invented people that the batch has its usual size.
    """
    return [{"target": FIRST_USER, "users": max(people - 1, 1)}]


ATTACK = Attack(
    by=NETWORK,
    does="loses everybody's messages but one person's, and fills the batch with people of its own",
    remedy="`registered` and `min_batch` together; neither alone",
    scenario="attack-n-1",
    unit="bits of anonymity taken",
    waits="a round in which its invented people are asked, or a message of a person to lose",
    measure=bits_taken,
    reads=("target", "users"),
    stopped_by=("registered",),
    trials={"": trial},
    rows_read=RowsRead(
        unit=UNIT,
        measure=remaining_with_invented(lambda person, entry: person == target(entry)),
    ),
    commit=commit,
    sybils=True,
)
