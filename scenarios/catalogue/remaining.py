"""Measures of the values read of people left in a count without the attackers' answers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...errors import Reason
from ...protocol import parties
from ...protocol.adversary_view import AdversaryView, senders, submissions
from ...protocol.exploits import sums
from ...protocol.own_batches import counted, public_release
from ...protocol.remaining_people import (
    KnownAnswers,
    columns_counted,
    values_of_missing,
    values_of_others,
)
from .attack import Measure, Measured
from .entries import target
from .subtraction import with_curator

if TYPE_CHECKING:
    from ..schema.model import Fault
    from .scene import Scene

UNIT = "values of a remaining person read"


def remaining_with_invented(passes: Callable[[str, "Fault"], bool]) -> Measure:
    """Measure the values of the target that the network reads in counts with invented people.

    The network made the invented people's answers, and sees every sender. passes: whether the
    network lets through the messages of a person.
    """

    def measure(scene: "Scene", entry: "Fault") -> Measured:
        loot = scene.loot((parties.NETWORK,))
        known = {}
        for number in range(1, len(loot.board.calls) + 1):
            sent = {*senders(loot, number)}
            others = [one for one in sent if parties.index(one) < scene.n and passes(one, entry)]
            invented = _invented(scene, loot, number)
            known[number] = KnownAnswers(invented, len(others))
        return _read(scene, loot, known, target(entry))

    return measure


def _invented(scene: "Scene", loot: AdversaryView, number: int) -> list[tuple[str, ...]]:
    """Return the rows of invented people that were accepted in a round, as the board says."""
    made = sum(parties.index(sender) >= scene.n for sender in senders(loot, number))
    mixed = [mix for mix in loot.board.mixed if mix.hop == 1]
    refused = mixed[number - 1].refused.get(Reason.UNREGISTERED, 0) if number <= len(mixed) else 0
    return [tuple(values[-1] for values in scene.people.values)] * max(made - refused, 0)


def remaining_without(scene: "Scene", entry: "Fault") -> Measured:
    """Measure the values that an attack's users read of a remaining person when they leave."""
    members = scene.strikers(entry.attack)
    loot, others = scene.loot(members), scene.n - len(members)
    rows = {member: tuple(scene.people.row(parties.index(member))) for member in members}
    known = {
        number: KnownAnswers([rows[one] for one in {*submissions(loot, number)}], others)
        for number in range(1, len(loot.board.calls) + 1)
    }
    person = next((i for i in range(scene.n) if parties.user(i) not in members), 0)
    return _read(scene, loot, known, parties.user(person))


def _read(
    scene: "Scene", loot: AdversaryView, known: Mapping[int, KnownAnswers], person: str
) -> Measured:
    """Count the values of a person that are read, of all columns of which there is a count."""
    row = values_of_others(loot, known)
    columns = len(columns_counted(loot)) or len(scene.people.schema.names)
    return scene.right(parties.index(person), row), columns


def missing_between(scene: "Scene", entry: "Fault") -> Measured:
    """Measure the released values of people with messages that the network loses in one round only.

    The network knows the people it struck; the curator, or every reader of the board, knows the
    counts of round 1.
    """
    loot = scene.loot((parties.NETWORK, *with_curator(scene.scenario, entry)))
    place = next(at for at, other in enumerate(scene.scenario.fault) if other is entry)
    missing = scene.adversary.struck.get(place, frozenset()) & {*senders(loot, 1)}
    before, joint, decision = counted(loot, 1), public_release(loot.board), loot.board.decision
    if decision is None or joint is None or not before or not missing:
        return 0, len(scene.people.schema.names)
    after = {column: sums(joint, decision.kept, column) for column in decision.kept}
    row = values_of_missing(before, after, missing)
    person = target(entry) if target(entry) in missing else min(missing)
    return scene.right(parties.index(person), row), len(decision.kept)
