"""Counts of people that follow from the announced rate of cover suppression.

Cover suppression hides values at random, so that values suppressed for a reason do not show. In a
column, r of n people have a listed value and must suppress it; each other person suppresses its
value with a probability, the cover rate. The rate is the smallest that makes at least k
suppressions likely enough (binomial_covers.py). A party that knows the announcement can search for
the r that has this rate. Every other r has another rate, except for rounding to parts of 2^32; if
two numbers fit, no count is derived.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...protocol.knowledge.run_record import CountsSeen
from ...protocol.wire.hiding_rules import BLANK, OTHER_VALUE, Redact
from ..estimation.binomial_covers import cover

if TYPE_CHECKING:
    from ...protocol.knowledge.view import View
    from ...protocol.wire.messages import Counts

# Number of the round with the counts from which cover rates follow. The curator reads these counts
# before it decides.
FIRST = 1


def announced(view: "View", columns: int) -> "Iterator[CountsSeen]":
    """Yield the counts that any party can compute from the cover rates that a decision announces.

    A cover rate is the probability with which a person suppresses a value that is not listed, to
    hide the people that must suppress. The counts are of round 1: people with a listed value
    (BLANK), and people with another value (OTHER). `columns`: number of columns of the table, >= 1.
    """
    if view.decision is None:
        return
    proof = view.decision.certificate
    for rule in view.decision.hidden:
        if isinstance(rule, Redact) and rule.cover and proof.slack:
            lows = listed(rule.cover, proof.n, proof.k, proof.slack / columns / 2)
            if len(lows) == 1:
                counts: Counts = {(BLANK,): lows[0], (OTHER_VALUE,): proof.n - lows[0]}
                yield CountsSeen(FIRST, (rule.column,), counts, (rule,))


def listed(parts: int, people: int, k: int, delta: float) -> Sequence[int]:
    """Return the numbers of people with listed values that give this cover rate, usually one.

    People with a listed value must suppress it. Other people suppress their value with a
    probability, the cover rate.

    Args:
        parts: the cover rate, in parts of 2^32, >= 1.
        people: respondents, with any value.
        k: number of suppressed values that the rate must reach.
        delta: accepted probability that fewer than k values are suppressed, in (0, 1).
    """
    # Bisection finds the least number of people with listed values whose cover rate is at most
    # `parts`. It works because the rate falls as more people have listed values.
    low, high = 0, min(k - 1, people)
    while low < high:
        middle = (low + high) // 2
        if _cover(middle, people, k, delta) <= parts:
            high = middle
        else:
            low = middle + 1
    lows = []
    while low < k and low <= people and _cover(low, people, k, delta) == parts:
        lows.append(low)
        low += 1
    return lows


def _cover(listed_: int, people: int, k: int, delta: float) -> float:
    """Return the cover rate if `listed_` people must suppress their value, in parts of 2^32.

    The cover rate is the probability with which each other person suppresses its value. With this
    rate at least k people suppress, except with probability delta. The result is infinite if no
    rate is enough.
    """
    parts = cover(listed_, people - listed_, k, delta)
    return float("inf") if parts is None else parts
