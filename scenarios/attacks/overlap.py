"""`overlap`: the curator asks the same people again, and releases other columns."""

from collections import Counter
from dataclasses import replace

from msgspec.structs import replace as changed

from ...protocol.board import Board
from ...roles.session import Cast
from ..catalogue.attack import CURATOR, Attack, Measured, Sequel
from ..catalogue.scene import Scene, release_of
from ..populations.samples import Samples
from ..programs.registry import strategy
from ..schema.model import Fault, Scenario


def other_columns(
    cast: Cast, _entry: Fault, scenario: Scenario, crowd: Samples, board: Board
) -> Cast:
    """The session of a curator that does not release again what it has released."""
    if board.decision is None:
        return cast
    names, policy = crowd.people.schema.names, scenario.policy
    gone = tuple(names[column] for column in board.decision.kept)
    forbidden = tuple(dict.fromkeys((*policy.forbidden, *gone)))
    policy = changed(policy, forbidden=forbidden, required=())
    return replace(cast, decide=strategy(changed(scenario, policy=policy), crowd.others))


def unique_on_both(scene: Scene, _fault: Fault) -> Measured:
    """People who are alone with their values on the columns of both releases together."""
    if scene.earlier is None:
        return 0, scene.n
    kept: set[int] = set()
    for one in (scene.earlier, scene):
        decision = one.board.decision
        if release_of(one.transcript, one.board) is None or decision is None:
            return 0, scene.n
        kept |= set(decision.kept)
    rows = Counter(
        tuple(scene.people.row(index)[column] for column in sorted(kept))
        for index in range(scene.n)
    )
    return sum(people == 1 for people in rows.values()), scene.n


ATTACK = Attack(
    by=CURATOR,
    does="asks the same people again and releases other columns",
    remedy="`union`: the first shuffler mixes no release of further columns",
    scenario="attack-overlap",
    unit="people unique on both releases",
    measure=unique_on_both,
    stopped_by=("union",),
    sequel=Sequel(after=other_columns),
)
