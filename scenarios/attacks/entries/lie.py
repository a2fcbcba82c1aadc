"""`lie`: the curator releases columns that its announced rule forbids, and certifies them."""

from ....analysis.exposure import users_below
from ....protocol.knowledge.adversary_view import opened_last
from ....protocol.knowledge.batch_subtraction import public_release
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue import peer_measures
from ..catalogue.attack import CURATOR, Attack, Measured, PeerAttack
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults import peer


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the curator release every column, against its announced rule.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.lies[entry.attack] = note_of(number)


def above_promise(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of exposed people above the certificate's bound, and of all people.

    The release is public. The value is 0 unless the curator has opened the answers of round 1,
    because it could not lie about unknown counts.
    """
    loot = scene.loot((parties.CURATOR,))
    decision, joint, plan = loot.board.decision, public_release(loot.board), loot.plan(1)
    if decision is None or joint is None or plan is None or not opened_last(loot, plan):
        return 0, scene.n
    below = int(users_below(list(joint.values()), decision.certificate.k))
    return max(below - decision.certificate.people, 0), scene.n


ATTACK = Attack(
    by=CURATOR,
    does="keeps columns that its rule forbids, and certifies them",
    remedy=(
        "`promise`: the analyst cannot prove the bound for the people who answered; `recompute`, "
        "with public marginals: the analyst does not open the release"
    ),
    scenario="attack-lie",
    unit="people exposed above the promise",
    waits="a decision that leaves a column out",
    measure=above_promise,
    stopped_by=("recompute", "promise"),
    commit=commit,
    among_peers=PeerAttack(
        does="says that it has decided otherwise",
        remedy="each peer decides alone: another digest names the liar",
        unit="people exposed above the promise",
        waits="the digest of a decision",
        measure=peer_measures.above_promise,
        act=peer.lie,
    ),
)
