"""`replay`: the network sends a user's message a second time.

The copy goes into the same round, the next round, or a later session.
"""

from ....protocol.knowledge.adversary_view import submissions
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Measured, Sequel, aimed
from ..catalogue.fault_entries import target
from ..catalogue.measures import counted_besides
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.wire import Replay


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the network replay a message of the target into the entry's round or session.

    number: the place of the entry among the file's `[[fault]]` tables. With two sessions, the same
    `Replay` object serves both, so that it remembers the message of the first.
    """
    into, note = entry.into or "round", note_of(number)
    setup.wires.append(Replay(target(entry), into, setup.stranger, note=note))


def counted_again(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of replayed messages counted in round 1, and the number of all people.

    The network sees how many messages came from real users. Messages counted beyond this number are
    copies.
    """
    loot = scene.loot((parties.NETWORK,))
    submitters = submissions(loot, 1)
    people = len({sender for sender in submitters if parties.index(sender) < scene.n})
    return counted_besides(scene, len(submitters) - people, people)


ATTACK = Attack(
    by=NETWORK,
    does="sends a message of somebody a second time",
    remedy=(
        "`dedupe` in the same round; `bind` in the next; fresh keys in another session; "
        "`registered`: the copy does not use up the user's one message"
    ),
    scenario="attack-replay",
    unit="people by whom a count is moved",
    waits="a message of the target, and the round or session into which it goes again",
    measure=counted_again,
    reads=("target", "into"),
    stopped_by=("bind", "dedupe", "registered"),
    trials={
        "": aimed(into="round"),
        "next": aimed(into="next"),
        "session": aimed(into="session"),
    },
    commit=commit,
    sequel=Sequel(needs_earlier=lambda entry: entry.into == "session"),
)
