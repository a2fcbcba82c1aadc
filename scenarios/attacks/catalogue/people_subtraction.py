"""Measures of the values that attackers read by subtracting known answers from a count.

If the attackers know all answers in a count except a single answer, they read that person's values.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ....errors import Reason
from ....protocol.knowledge.adversary_view import AdversaryView, senders, submissions
from ....protocol.knowledge.batch_subtraction import counted, public_release
from ....protocol.knowledge.exploits import sums
from ....protocol.knowledge.people_subtraction import (
    KnownAnswers,
    columns_counted,
    values_of_missing,
    values_of_others,
)
from ....protocol.wire import parties
from .attack import Measure, Measured
from .fault_entries import target
from .subtraction import with_curator

if TYPE_CHECKING:
    from ...schema.model import Fault
    from .scene import Scene

UNIT = "values of a remaining person read"


def remaining_with_invented(passes: Callable[[str, "Fault"], bool]) -> Measure:
    """Return a measure: the target's values that the network reads in counts with invented people.

    The network made the invented people's answers, and sees every sender. passes: whether the
    network lets the messages of a person through, under an entry of `[[fault]]`.
    """

    def measure(scene: "Scene", entry: "Fault") -> Measured:
        """Return the number of the target's values read correctly, of all counted columns."""
        loot = scene.loot((parties.NETWORK,))
        known_answers = {}
        for number in range(1, len(loot.board.calls) + 1):
            message_senders = {*senders(loot, number)}
            other_senders = [
                sender
                for sender in message_senders
                if parties.index(sender) < scene.n and passes(sender, entry)
            ]
            invented = _invented(scene, loot, number)
            known_answers[number] = KnownAnswers(invented, len(other_senders))
        return _read(scene, loot, known_answers, target(entry))

    return measure


def _invented(scene: "Scene", loot: AdversaryView, number: int) -> list[tuple[str, ...]]:
    """Return the rows of invented people that the board shows as accepted in round `number`.

    Each row has the last listed value of every column. loot: the attackers' pooled views and keys.
    """
    invented_senders = sum(parties.index(sender) >= scene.n for sender in senders(loot, number))
    mixed = [mix for mix in loot.board.mixed if mix.hop == 1]
    refused = mixed[number - 1].refused.get(Reason.UNREGISTERED, 0) if number <= len(mixed) else 0
    return [tuple(values[-1] for values in scene.people.values)] * max(
        invented_senders - refused, 0
    )


def remaining_without(scene: "Scene", entry: "Fault") -> Measured:
    """Measure the values of another person that the attacking users read by subtraction.

    The attacking users know their own answers in each round, and subtract them from the counts. The
    remaining counts belong to all other people; the measured person is the first of these people.
    """
    members = scene.strikers(entry.attack)
    loot, other_count = scene.loot(members), scene.n - len(members)
    rows = {member: tuple(scene.people.row(parties.index(member))) for member in members}
    known_answers = {
        number: KnownAnswers([rows[sender] for sender in {*submissions(loot, number)}], other_count)
        for number in range(1, len(loot.board.calls) + 1)
    }
    person = next((i for i in range(scene.n) if parties.user(i) not in members), 0)
    return _read(scene, loot, known_answers, parties.user(person))


def _read(
    scene: "Scene", loot: AdversaryView, known_answers: Mapping[int, KnownAnswers], person: str
) -> Measured:
    """Return the number of a person's values read correctly, and the number of counted columns.

    loot: the attackers' pooled views and keys. known_answers: by round, the answers in the counts
    of the round that the attackers know.
    """
    row = values_of_others(loot, known_answers)
    columns = len(columns_counted(loot)) or len(scene.people.schema.names)
    return scene.right(parties.index(person), row), columns


def missing_between(scene: "Scene", entry: "Fault") -> Measured:
    """Measure the released values that attackers read of people with messages lost in a round.

    The difference between the counts of two rounds shows the values. The network knows these
    people; the curator, or every reader of the board, knows the counts of round 1.
    """
    loot = scene.loot((parties.NETWORK, *with_curator(scene.settings.policy, entry)))
    place = next(at for at, fault in enumerate(scene.settings.entries) if fault is entry)
    missing = scene.adversary.struck.get(place, frozenset()) & {*senders(loot, 1)}
    earlier_counts, joint, decision = (
        counted(loot, 1),
        public_release(loot.board),
        loot.board.decision,
    )
    if decision is None or joint is None or not earlier_counts or not missing:
        return 0, len(scene.people.schema.names)
    later_counts = {column: sums(joint, decision.kept, column) for column in decision.kept}
    row = values_of_missing(earlier_counts, later_counts, missing)
    person = target(entry) if target(entry) in missing else min(missing)
    return scene.right(parties.index(person), row), len(decision.kept)
