"""What several attacks are measured by: (value, the most it could be), from what attackers saw."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log2
from typing import TYPE_CHECKING

from ...errors import Reason
from ...protocol import exploits, parties
from ...protocol.adversary_view import AdversaryView, People, batch, envelopes, senders, submissions
from .attack import Measure, Measured

if TYPE_CHECKING:
    from ..schema.model import Fault
    from .scene import Scene


def sent_by_strikers(scene: "Scene", fault: "Fault", number: int) -> int:
    """How many messages those users sent in a round who commit an attack: each knows its own."""
    return len(submissions(scene.loot(scene.strikers(fault.attack)), number))


def handled(loot: AdversaryView, by: str, number: int) -> int:
    """How many layers came to a shuffler in a round, as it knows."""
    plan, hop = loot.plan(number), parties.index(by) + 1
    if plan is None:
        return 0
    if hop > 1:
        return len(batch(loot, plan, hop))
    return sum(1 for _ in envelopes(loot, plan)) * plan.slots


def uncounted(scene: "Scene", _fault: "Fault") -> Measured:
    """People not counted in the last round that was, by the totals on the board: of all."""
    came = max(
        (max(tally.totals, default=0) for tally in scene.public.tallies[-1:]), default=scene.n
    )
    return max(scene.n - came, 0), scene.n


def refused_for(*reasons: Reason) -> Measure:
    """Measure how many messages the first shuffler refused for these reasons, of all that came.

    No more than those sent who commit it.
    """

    def measure(scene: "Scene", fault: "Fault") -> Measured:
        first = [mix for mix in scene.public.mixed if mix.hop == 1]
        came = sum(mix.received for mix in first)
        refused = sum(mix.refused.get(reason, 0) for mix in first for reason in reasons)
        rounds = range(1, len(scene.public.calls) + 1)
        return min(refused, sum(sent_by_strikers(scene, fault, number) for number in rounds)), came

    return measure


def moved(scene: "Scene", fault: "Fault") -> Measured:
    """The largest number of people by which a count of round 1 is larger than the truth.

    No more than the answers to one question that those users sent who commit it.
    """
    plan = scene.loot(()).plan(1)
    sent = sent_by_strikers(scene, fault, 1) * (plan.slots if plan else 0)
    return min(largest_excess(scene), sent), scene.n


def largest_excess(scene: "Scene") -> int:
    """The largest number of people by which a count of round 1 is larger than the truth."""
    more = [
        max((Counter(count) - scene.truth(column)).values(), default=0)
        for column, count in enumerate(scene.counts())
    ]
    return max(more, default=0)


def counted_besides(scene: "Scene", added: int, people: int) -> Measured:
    """By how many people a count of round 1 is moved: of the answers added, those that are counted.

    added: answers that attackers know to have added to some question. people: who answered besides
    them, as attackers know it. Totals are public.
    """
    most = max((total for tally in scene.board.tallies[:1] for total in tally.totals), default=0)
    return min(max(most - people, 0), added), scene.n


def answers_lost(scene: "Scene", fault: "Fault") -> Measured:
    """Answers of round 1 that were not counted, of all given: by the totals on the board.

    No more than came to the shuffler that loses them.
    """
    board, by = scene.public, fault.by or parties.shuffler(1)
    given = sum(mix.people for mix in board.mixed[:1]) * len(scene.people.schema.names)
    counted = sum(sum(tally.totals) for tally in board.tallies[:1])
    return min(max(given - counted, 0), handled(scene.loot((by,)), by, 1)), given


def bits_taken(scene: "Scene", _fault: "Fault") -> Measured:
    """Bits of anonymity taken: log2 of the people in the batch, less that of those it may be.

    The network can tell its own envelopes from others: it made them. Which of them were accepted
    is on the board. Nothing is taken where nothing is read.
    """
    loot = scene.loot((parties.NETWORK,))
    first = next((mix for mix in loot.board.mixed if mix.hop == 1), None)
    if first is None or loot.board.burned or not first.people:
        return 0, log2(scene.n)
    made = sum(parties.index(sender) >= scene.n for sender in senders(loot, 1))
    own = max(made - first.refused.get(Reason.UNREGISTERED, 0), 0)
    return log2(first.people) - log2(max(first.people - own, 1)), log2(first.people)


def linked(
    accomplices: Sequence[str],
    exploit: Callable[[AdversaryView, int], People],
) -> Measure:
    """Measure how many people's rows of round 1 an exploit finds, wholly and rightly."""

    def measure(scene: "Scene", _fault: "Fault") -> Measured:
        people = exploit(scene.loot(accomplices), 1)
        columns = len(scene.people.schema.names)
        whole = [i for i, row in people.items() if scene.right(i, row) == columns]
        return len(whole), scene.n

    return measure


def whole(scene: "Scene", _fault: "Fault") -> Measured:
    """Rows that the curator alone reads with all their columns, and that somebody has."""
    rows = exploits.whole_rows(scene.loot((parties.CURATOR,)), 1)
    columns = range(len(scene.people.schema.names))
    read = Counter(tuple(row[column] for column in columns) for row in rows)
    true = Counter(tuple(scene.people.row(index)) for index in range(scene.n))
    return (read & true).total(), scene.n
