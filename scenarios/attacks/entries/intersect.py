"""`intersect`: the network combines many releases of the same people, and some miss sessions.

From the senders of each session and the public releases it computes the rows of these users.
"""

from dataclasses import replace

from ....protocol.knowledge.adversary_view import AdversaryView, senders
from ....protocol.knowledge.batch_subtraction import public_release
from ....protocol.knowledge.intersection import SeenRelease, isolate_people
from ....protocol.wire import parties
from ....roles.cast import Cast
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import NETWORK, Attack, Keys, Measured, Sequel, counts_victim
from ..catalogue.scene import Scene
from ..faults.users import fault

COMERS = 12  # users that come and go, if the entry does not set `users`
# sessions in excess of the users that come and go: each session gives an equation for the unknown
# rows of these users, and random absences may repeat an equation
MORE = 3


def comers(entry: Fault) -> int:
    """Return the number of users that take part in some sessions only; they are the first users."""
    return COMERS if entry.users is None else entry.users


def some_stay_away(cast: Cast, entry: Fault, number: int, place: int) -> Cast:
    """Return the inputs (`Cast`) of an earlier session, which some users miss at random.

    The users that come and go miss it with probability 1/2. On average, two sessions differ by half
    of these users, so no single pair of releases reveals a row. number: the session's number.
    place: the place of the `[[fault]]` entry in the file.
    """
    coins = cast.entropy.fork(f"who comes, {number}").random(comers(entry))
    absentees = {parties.user(i) for i, coin in enumerate(coins) if coin & 1}
    silent = {name: fault("absent", note=note_of(place)) for name in absentees}
    return replace(cast, faults={**cast.faults, **silent})


def read_of_comers(scene: Scene, entry: Fault) -> Measured:
    """Measure the users that come and go and have a fully revealed row, of all that come and go.

    A row has the released columns. The network sees the senders of every session; releases are
    public.
    """
    loot = [session.loot((parties.NETWORK,)) for session in scene.sessions_before]
    releases = [
        _session_release(theirs)
        for theirs in (*loot, scene.loot((parties.NETWORK,)))
        if theirs is not None
    ]
    rows = isolate_people([release for release in releases if release is not None])
    right = [i for i, row in rows.items() if row and scene.right(i, row) == len(row)]
    return len(right), comers(entry)


def _session_release(loot: AdversaryView) -> SeenRelease | None:
    """Return the senders and the release of a session as the attackers see them.

    None without a release, or if no sender was seen.
    """
    joint, decision = public_release(loot.board), loot.board.decision
    respondents = frozenset(
        parties.index(sender) for sender in senders(loot, len(loot.board.calls))
    )
    if joint is None or decision is None or not decision.kept or not respondents:
        return None
    return SeenRelease(respondents, tuple(decision.kept), joint)


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry for the attack matrix: a third of the people come and go.

    At most `COMERS` people come and go, and at least a single person.
    """
    return [{"users": min(COMERS, max(1, people // 3))}]


ATTACK = Attack(
    by=NETWORK,
    does="sees who takes part in each of many releases, and adds and subtracts them",
    remedy=(
        "`burn`: people who were counted in exactly the same rounds, of all sessions, form a "
        "group; each group must have at least `min_dropout` people"
    ),
    scenario="attack-intersect",
    unit="released rows read of those who come and go",
    waits="a session before, from which one of those who come and go stays away",
    learns=counts_victim,
    measure=read_of_comers,
    reads=("users",),
    stopped_by=("burn",),
    trials={"": trial},
    sequel=Sequel(session_count=lambda entry: comers(entry) + MORE, change_earlier=some_stay_away),
)
