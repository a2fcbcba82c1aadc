"""A shuffler that delays some people: it takes their messages when its batch has left."""

from veilmix.errors import Reason
from veilmix.protocol.rounds.round_context import Round
from veilmix.roles.network.memory_network import Letter
from veilmix.scenarios.attacks.catalogue.attack import SHUFFLER, Attack, by_shuffler
from veilmix.scenarios.attacks.catalogue.fault_entries import drawn
from veilmix.scenarios.attacks.catalogue.measures import uncounted
from veilmix.scenarios.attacks.catalogue.setup import AttackSetup
from veilmix.scenarios.attacks.faults.batch_door import Turn
from veilmix.scenarios.attacks.faults.shuffler import Deed
from veilmix.scenarios.schema.model import Fault


def count_as_late(_deed: Deed, turn: Turn) -> bool:
    """Count the delayed messages as late; False without a delayed message."""
    turn.refused[Reason.LATE] += turn.unheard
    return turn.unheard > 0


def delay_some(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Draw the people, and give the shuffler its deed."""
    delayed = drawn(entry, setup.people, setup.rng)

    def is_delayed(_deed: Deed, _plan: Round, letter: Letter) -> bool:
        sender, _ = letter
        return sender in delayed

    setup.deed(count_as_late, entry, number, ignores=is_delayed)


SLOW = Attack(
    by=SHUFFLER,
    does="takes the messages of some people after its batch has left",
    remedy="`dropout`, if few are late in one round only",
    scenario="attack-drop-people",
    unit="people not counted",
    waits="a message of a person whom it delays",
    measure=uncounted,
    reads=("users", "target", "round"),
    stopped_by=("dropout",),
    trials={"": by_shuffler()},
    commit=delay_some,
    first_only=True,
)
