"""Measures that several attacks share.

Each returns the attack's success as (value, its largest possible value), from the attackers' loot:
their pooled views and keys.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log2
from typing import TYPE_CHECKING

from ....errors import Reason
from ....protocol.knowledge import exploits
from ....protocol.knowledge.adversary_view import (
    AdversaryView,
    People,
    batch,
    envelopes,
    senders,
    submissions,
)
from ....protocol.wire import parties
from .attack import Measure, Measured

if TYPE_CHECKING:
    from ...schema.model import Fault
    from .scene import Scene


def sent_by_strikers(scene: "Scene", fault: "Fault", number: int) -> int:
    """Return the number of messages that the users of an attack sent in round `number`."""
    return len(submissions(scene.loot(scene.strikers(fault.attack)), number))


def handled(loot: AdversaryView, by: str, number: int) -> int:
    """Return the number of layers that arrived at the shuffler `by` in round `number`.

    The first shuffler receives envelopes, each with a layer for every ballot of a user.
    """
    plan, hop = loot.plan(number), parties.index(by) + 1
    if plan is None:
        return 0
    if hop > 1:
        return len(batch(loot, plan, hop))
    return sum(1 for _ in envelopes(loot, plan)) * plan.slots


def uncounted(scene: "Scene", _fault: "Fault") -> Measured:
    """Measure the people not counted in the last tallied round, of all people.

    The public totals on the bulletin board show the number of counted people.
    """
    respondents = max(
        (max(tally.totals, default=0) for tally in scene.public.tallies[-1:]), default=scene.n
    )
    return max(scene.n - respondents, 0), scene.n


def refused_for(*reasons: Reason) -> Measure:
    """Return a measure: messages that the first shuffler refused for these reasons, out of all.

    The value is at most the number of messages that the attack's users sent.
    """

    def measure(scene: "Scene", fault: "Fault") -> Measured:
        """Return the number of refused messages and the number of arrivals, over all rounds."""
        first = [mix for mix in scene.public.mixed if mix.hop == 1]
        arrivals = sum(mix.received for mix in first)
        refused = sum(mix.refused.get(reason, 0) for mix in first for reason in reasons)
        rounds = range(1, len(scene.public.calls) + 1)
        return min(
            refused, sum(sent_by_strikers(scene, fault, number) for number in rounds)
        ), arrivals

    return measure


def moved(scene: "Scene", fault: "Fault") -> Measured:
    """Measure the largest excess of a published count of round 1 over the true count, in people.

    The value is at most the number of answers to a question that the attack's users sent.
    """
    plan = scene.loot(()).plan(1)
    forged_answers = sent_by_strikers(scene, fault, 1) * (plan.slots if plan else 0)
    return min(largest_excess(scene), forged_answers), scene.n


def largest_excess(scene: "Scene") -> int:
    """Return the largest excess, in people, of any count of round 1 over the true count."""
    more = [
        max((Counter(count) - scene.truth(column)).values(), default=0)
        for column, count in enumerate(scene.counts())
    ]
    return max(more, default=0)


def counted_besides(scene: "Scene", added: int, people: int) -> Measured:
    """Measure the attackers' added answers in the counts of round 1, as a number of people.

    The value is the largest total of a question less the other respondents, and at most `added`.
    added: answers that the attackers know to have added to a question. people: the number of the
    other respondents, as the attackers know it. The totals are public.
    """
    largest_total = max(
        (total for tally in scene.board.tallies[:1] for total in tally.totals), default=0
    )
    return min(max(largest_total - people, 0), added), scene.n


def answers_lost(scene: "Scene", fault: "Fault") -> Measured:
    """Measure the answers of round 1 that were not counted, of all answers given.

    The totals on the bulletin board show both numbers. The value is at most the number of layers
    that arrived at the attacking shuffler.
    """
    board, by = scene.public, fault.by or parties.shuffler(1)
    answer_count = sum(mix.people for mix in board.mixed[:1]) * len(scene.people.schema.names)
    counted = sum(sum(tally.totals) for tally in board.tallies[:1])
    return min(max(answer_count - counted, 0), handled(scene.loot((by,)), by, 1)), answer_count


def bits_taken(scene: "Scene", _fault: "Fault") -> Measured:
    """Measure the bits of anonymity that invented people take from a batch.

    They are log2 of the people in the batch, less log2 of the real people in it. The network knows
    the envelopes that it made itself, and the board shows how many envelopes were accepted. An
    aborted session takes zero bits.
    """
    loot = scene.loot((parties.NETWORK,))
    first = next((mix for mix in loot.board.mixed if mix.hop == 1), None)
    if first is None or loot.board.burned or not first.people:
        return 0, log2(scene.n)
    invented_senders = sum(parties.index(sender) >= scene.n for sender in senders(loot, 1))
    invented_people = max(invented_senders - first.refused.get(Reason.UNREGISTERED, 0), 0)
    return log2(first.people) - log2(max(first.people - invented_people, 1)), log2(first.people)


def linked(
    accomplices: Sequence[str],
    exploit: Callable[[AdversaryView, int], People],
) -> Measure:
    """Return a measure: the number of people with a complete row found by an exploit in round 1.

    accomplices: the parties that pool views and keys. exploit: computes rows of people from the
    pooled view, for a round. A row counts only if all its values are true.
    """

    def measure(scene: "Scene", _fault: "Fault") -> Measured:
        """Return the number of people with a fully correct row, and of all people."""
        people = exploit(scene.loot(accomplices), 1)
        columns = len(scene.people.schema.names)
        whole = [i for i, row in people.items() if scene.right(i, row) == columns]
        return len(whole), scene.n

    return measure


def whole(scene: "Scene", _fault: "Fault") -> Measured:
    """Measure the complete rows that the curator alone reads and that belong to people.

    Ballots normally hold one column each, so that the curator does not learn which values belong to
    the same person.
    """
    rows = exploits.whole_rows(scene.loot((parties.CURATOR,)), 1)
    columns = range(len(scene.people.schema.names))
    read = Counter(tuple(row[column] for column in columns) for row in rows)
    true = Counter(tuple(scene.people.row(index)) for index in range(scene.n))
    return (read & true).total(), scene.n
