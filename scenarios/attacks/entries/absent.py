"""`absent`: a user leaves the session, and sends no further message."""

from ....protocol.wire import parties
from ...schema.model import Fault, Policy
from ..catalogue.attack import STRIKES, USER, Attack, Keys, PeerAttack, RowsRead
from ..catalogue.fault_entries import FIRST_USER
from ..catalogue.measures import uncounted
from ..catalogue.peer_measures import unreleased
from ..catalogue.people_subtraction import UNIT, remaining_without
from ..faults import peer


def trial(_people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry for the attack matrix: the first user leaves after round 1."""
    return [{"by": FIRST_USER, "round": 2}]


def peer_trial(_people: int, _path: int) -> list[Keys]:
    """Return the `[[fault]]` entry for the attack matrix: the first peer leaves after round 1."""
    return [{"by": parties.peer(0), "round": 2}]


def strikers(_policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the attackers, for a report: the number of users that leave together, as text.

    () if the entry does not set `users`.
    """
    return (f"{entry.users} of the people",) if entry.users else ()


ATTACK = Attack(
    by=USER,
    does="says nothing",
    remedy=(
        "`promise`: the exposure bound is proved again for the people who answered ([ADR "
        "22](adr/0022-a-promise-is-proved-again-of-those-who-came.md)), or nothing is released; "
        "`min_dropout`: a round that people left, but fewer than this, aborts"
    ),
    scenario="attack-leavers",
    unit="people not counted",
    waits="a message that is due from one of those who commit it",
    measure=uncounted,
    reads=STRIKES,
    stopped_by=("dropout",),
    trials={"": trial},
    rows_read=RowsRead(unit=UNIT, measure=remaining_without, helpers=strikers),
    strike=lambda setup, index, rounds: setup.message(index, rounds, "absent"),
    among_peers=PeerAttack(
        does="posts nothing any more",
        remedy="it is named, and the round aborts for all; a person who never comes is no peer",
        unit="people without a release",
        waits="a post that is due from the peer",
        measure=unreleased,
        act=peer.absent,
        trials={"": peer_trial},
    ),
)
