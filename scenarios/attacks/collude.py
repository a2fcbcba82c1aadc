"""`collude`: the first shuffler and the curator show each other all they saw, and all keys."""

from ...analysis.trust.received_view import received
from ...protocol import parties
from ...protocol.view import Record
from ..catalogue.attack import BYSTANDER, Attack, Measured
from ..catalogue.scene import Scene
from ..schema.model import Fault

COALITION = (parties.CURATOR, parties.shuffler(1))


def pooled(scene: Scene, _fault: Fault) -> Measured:
    """People whom both link to their rows, from what they saw."""
    view = Record(scene.transcript, scene.board).view(COALITION)
    sizes = tuple(len(texts) for texts in scene.people.values)
    return received(view, sizes).linked, scene.n


ATTACK = Attack(
    by=BYSTANDER,
    does="show each other all they saw and all keys",
    remedy="`cascade`: more shufflers, of which one is honest",
    scenario="who-must-collude",
    unit="people linked",
    measure=pooled,
    stopped_by=("cascade",),
    watchers="shuffler-1 and curator",
)
