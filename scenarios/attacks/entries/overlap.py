"""`overlap`: the curator runs a second session with the same people, and releases other columns."""

from dataclasses import replace

from msgspec.structs import replace as changed

from ....protocol.board.board import Board
from ....protocol.knowledge.batch_subtraction import counted, public_release
from ....protocol.knowledge.release_intersection import expected_alone
from ....protocol.wire import parties
from ....protocol.wire.messages import Kind
from ....roles.cast import Cast
from ...populations.samples import Samples
from ...schema.model import Fault
from ..catalogue.attack import CURATOR, Attack, Measured, Sequel
from ..catalogue.scene import Scene
from ..catalogue.settings import AttackSettings


def other_columns(
    cast: Cast, _entry: Fault, settings: AttackSettings, crowd: Samples, board: Board, place: int
) -> Cast:
    """Return the inputs of a second session, in which the curator releases only other columns.

    Columns that the first session released are forbidden in the second. If the first session
    released no column, `cast` is returned unchanged.

    Args:
        cast: the inputs of the second session without the attack.
        settings: the scenario's policy, and the strategy that follows from a policy.
        crowd: the people of the session.
        board: the bulletin board of the first session.
        place: the place of the attack's entry among the file's `[[fault]]` tables.
    """
    if board.decision is None or not board.decision.kept:
        return cast
    if cast.adversary is not None:
        for kind in (Kind.DECISION, Kind.COMMITTED):
            cast.adversary.posting.setdefault(kind, set()).add(place)
    names, policy = crowd.people.schema.names, settings.policy
    released_names = tuple(names[column] for column in board.decision.kept)
    forbidden = tuple(dict.fromkeys((*policy.forbidden, *released_names)))
    policy = changed(policy, forbidden=forbidden, required=())
    return replace(cast, decide=settings.strategy(policy))


def unique_on_both(scene: Scene, _fault: Fault) -> Measured:
    """Return the expected number of people unique on both releases' columns, and of all people.

    Releases are public. The curator infers from equal counts in both sessions that both asked the
    same people; otherwise the value is 0.
    """
    loot = scene.loot((parties.CURATOR,))
    earlier_view = scene.earlier.loot((parties.CURATOR,)) if scene.earlier else None
    if earlier_view is None or not counted(loot, 1) or counted(loot, 1) != counted(earlier_view, 1):
        return 0, scene.n
    earlier, two = public_release(earlier_view.board), public_release(loot.board)
    first, second = earlier_view.board.decision, loot.board.decision
    if earlier is None or two is None or first is None or second is None:
        return 0, scene.n
    return expected_alone(earlier, first.kept, two, second.kept), scene.n


ATTACK = Attack(
    by=CURATOR,
    does="asks the same people again and releases other columns",
    remedy="`union`: the first shuffler mixes no release of further columns",
    scenario="attack-overlap",
    unit="people expected to be alone on both releases",
    waits="a release in the session before, and a decision in this one",
    measure=unique_on_both,
    stopped_by=("union",),
    sequel=Sequel(change_last=other_columns),
)
