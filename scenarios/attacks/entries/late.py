"""`late`: a user sends after the collection; late messages are never forwarded alone."""

from ...schema.model import Fault
from ..catalogue.attack import STRIKES, USER, Attack, Measured, by_some
from ..catalogue.measures import sent_by_strikers, uncounted
from ..catalogue.scene import Scene


def sent_in_vain(scene: Scene, fault: Fault) -> Measured:
    """Return the number of people not counted in the last round, and the number of all people.

    The first number is at most the number of attackers that sent a message in the last round.
    """
    missing, maximum = uncounted(scene, fault)
    return min(missing, sent_by_strikers(scene, fault, len(scene.public.tallies))), maximum


ATTACK = Attack(
    by=USER,
    does="sends after the collection has closed",
    remedy="always on: refused and counted, never forwarded alone",
    scenario="attack-late-batch",
    unit="people not counted",
    waits="an answer of one of those who commit it",
    measure=sent_in_vain,
    reads=STRIKES,
    trials={"": by_some(round=1)},
    strike=lambda setup, index, rounds: setup.message(index, rounds, "late"),
)
