"""`junk-share`: a user sends a false secret share, to keep the row of other users closed.

In the release program `threshold`, ballots with an equal row form a group, and each ballot holds a
share of the group's key. k true shares open the group. A false share could keep it closed.
"""

from collections import Counter

from ....protocol.knowledge.adversary_view import submissions
from ....protocol.rounds.exclusion import published_rows
from ....protocol.wire import parties
from ....roles.occasions import Notes
from ...schema.model import Fault
from ..catalogue.attack import OPENED, USER, Attack, Measured, by_some
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.sharers import junk_sender


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Let the user with an index send a ballot with a false share of the key that opens its row.

    rounds: round -> the function that records the attack as carried out; the release program has a
    single round.
    """
    user = parties.user(index)
    entropy, (note,) = setup.entropy(f"junk of {user}"), rounds.values()
    setup.places[user] = junk_sender(setup.row(index), entropy, note)


def closed(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of people whose row a false share keeps encrypted, and of all people.

    The reader can decrypt a row with k true shares of its key, a share in each ballot. The first
    number counts honest people with the row of an attacking user that should be in the published
    counts, and are not.
    """
    strikers = scene.strikers("junk-share")
    striker_indices = {parties.index(user) for user in submissions(scene.loot(strikers), 1)}
    counts = scene.public.tallies[0].counts if scene.public.tallies else None
    if not striker_indices or counts is None:
        return 0, scene.n
    submitted_rows = {
        record.user: tuple(record.answers[0][1])
        for record in scene.transcript.sealed_answers
        if record.answers
    }
    other_rows = [
        row for i, row in submitted_rows.items() if i not in striker_indices and i < scene.n
    ]
    announcement = scene.public.announcement
    if announcement is None:
        return 0, scene.n
    due = Counter(published_rows(Counter(other_rows), announcement.policy, announcement.schema))
    aimed = {tuple(scene.people.row(index)) for index in striker_indices}
    return sum(max(due[row] - counts[0].get(row, 0), 0) for row in aimed), scene.n


ATTACK = Attack(
    by=USER,
    does="sends a wrong key share for its row, which fits no share of other people",
    remedy=(
        "always on: any k right shares of a row open it in `threshold` "
        "([ADR 59](adr/0059-a-share-that-is-junk-is-found-by-anybody.md))"
    ),
    scenario="attack-junk-share",
    unit="others whose row does not open",
    waits="the outputs of `randomness` for one of those who commit it",
    measure=closed,
    about=OPENED,
    reads=("users", "share"),
    trials={"": by_some()},
    strike=strike,
)
