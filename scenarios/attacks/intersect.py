"""`intersect`: the same people in many releases, and some of them not in all."""

from dataclasses import replace

from ...protocol import parties
from ...protocol.adversary_view import AdversaryView, senders
from ...protocol.intersection import SeenRelease, told_apart
from ...protocol.own_batches import public_release
from ...roles.cast import Cast
from ...roles.faults.users import fault
from ...roles.occasions import note_of
from ..catalogue.attack import NETWORK, Attack, Keys, Measured, Sequel, somebody
from ..catalogue.scene import Scene
from ..schema.model import Fault

COMERS = 12  # who come and go, where nothing is said
MORE = 3  # sessions more than there are people to be told apart


def comers(entry: Fault) -> int:
    """How many people come and go: the first ones."""
    return COMERS if entry.users is None else entry.users


def some_stay_away(cast: Cast, entry: Fault, number: int, place: int) -> Cast:
    """A session before, from which each who comes and goes stays away with an even chance.

    Two sessions differ by half of them, not by one: no pair of releases tells of anybody.
    """
    coins = cast.entropy.fork(f"who comes, {number}").random(comers(entry))
    away = {parties.user(i) for i, coin in enumerate(coins) if coin & 1}
    silent = {name: fault("absent", note=note_of(place)) for name in away}
    return replace(cast, faults={**cast.faults, **silent})


def read_of_comers(scene: Scene, entry: Fault) -> Measured:
    """People whose whole released row comes out, of those who come and go.

    Who took part the network sees in every session; what was released is public.
    """
    loot = [session.loot((parties.NETWORK,)) for session in scene.sessions_before]
    releases = [
        _seen(theirs) for theirs in (*loot, scene.loot((parties.NETWORK,))) if theirs is not None
    ]
    rows = told_apart([release for release in releases if release is not None])
    right = [i for i, row in rows.items() if row and scene.right(i, row) == len(row)]
    return len(right), comers(entry)


def _seen(loot: AdversaryView) -> SeenRelease | None:
    """A session as the network has it; None if nothing was released, or nobody seen."""
    joint, decision = public_release(loot.board), loot.board.decision
    who = frozenset(parties.index(sender) for sender in senders(loot, len(loot.board.calls)))
    if joint is None or decision is None or not decision.kept or not who:
        return None
    return SeenRelease(who, tuple(decision.kept), joint)


def trial(people: int, _shufflers: int) -> list[Keys]:
    """A few come and go."""
    return [{"users": min(COMERS, max(1, people // 3))}]


ATTACK = Attack(
    by=NETWORK,
    does="sees who takes part in each of many releases, and adds and subtracts them",
    remedy=(
        "`burn`: of those who came in other rounds than everybody else there must be as many as "
        "`min_dropout`, over all sessions together. That two releases differ by many is not enough"
    ),
    scenario="attack-intersect",
    unit="released rows read of those who come and go",
    waits="a session before, from which one of those who come and go stays away",
    learns=somebody,
    measure=read_of_comers,
    reads=("users",),
    stopped_by=("burn",),
    trials={"": trial},
    sequel=Sequel(many=lambda entry: comers(entry) + MORE, before=some_stay_away),
)
