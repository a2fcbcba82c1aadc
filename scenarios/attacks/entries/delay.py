"""`delay`: the network delays all users but the target, so that the batch holds a single user."""

from ....protocol.knowledge.adversary_view import senders
from ....protocol.knowledge.batch_subtraction import counted
from ....protocol.wire import parties
from ....protocol.wire.messages import Counts
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Measured, aimed, counts_victim
from ..catalogue.fault_entries import all_but, rounds_of, target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.wire import Delay


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the network delay the messages of all users except the target.

    The entry may limit this to a round. number: the place of the entry in the scenario file.
    """
    other_users = all_but(target(entry), setup.people)
    setup.wires.append(Delay(other_users, rounds_of(entry), note_of(number)))


def isolated_target(scene: Scene, fault: Fault) -> Measured:
    """Return (1, 1) if the target alone is counted, and its row is read; else (0, 1).

    The attackers are the network, which sees the senders, and the reader, which sees the counts.
    """
    number, target_user = fault.round or 1, target(fault)
    readers = [call.reader.value for call in scene.board.calls[number - 1 : number]]
    loot = scene.loot((parties.NETWORK, *readers))
    counts = counted(loot, number)
    if not counts or target_user not in senders(loot, number) or {*map(total, counts)} != {1}:
        return 0, 1
    values = [values for count in counts for values in count]
    columns = [column for ask in scene.board.calls[number - 1].asks for column in ask]
    row = dict(zip(columns, [value for part in values for value in part], strict=True))
    return float(bool(row) and scene.right(parties.index(target_user), row) == len(row)), 1


def total(counts: Counts) -> int:
    """Return the number of people in the counts of one question."""
    return sum(counts.values())


ATTACK = Attack(
    by=NETWORK,
    does="holds back everybody's messages but one person's until the batch has left",
    remedy="`min_batch`: the batch is too small; messages that come later are refused",
    scenario="attack-delay",
    unit="people linked",
    waits="a message of a person other than the target",
    learns=counts_victim,
    measure=isolated_target,
    helpers=lambda _policy, _entry: (parties.CURATOR,),
    reads=("target", "round"),
    stopped_by=("min_batch",),
    trials={"": aimed()},
    without=("dropout",),  # no dropouts: users delayed in round 1 do not leave between the rounds
    commit=commit,
)
