"""Counts that follow from the announced rate of cover suppression.

Cover suppression hides values at random, so that values suppressed for a reason do not show. The
cover rate of a column is the least with which r people with listed values and n - r more make k
suppressions (binomial_covers.py). A reader of the announcement can search for the r that has this
rate. Every other r has another rate, except for rounding to parts of 2^32; if two fit, no count is
derived.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...protocol.knowledge.run_record import CountsSeen
from ...protocol.wire.hiding_rules import BLANK, OTHER_VALUE, Redact
from ..estimation.binomial_covers import cover

if TYPE_CHECKING:
    from ...protocol.knowledge.view import View
    from ...protocol.wire.messages import Counts

FIRST = 1  # the cover rates follow from the counts of this round, which the curator reads first


def announced(view: "View", columns: int) -> "Iterator[CountsSeen]":
    """Yield the counts that any party can compute from a decision's announced cover rates.

    They are counts of round 1: people with a value that a suppression rule names (BLANK), and
    people with another (OTHER). `columns`: number of columns of the table, >= 1.
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

    Args:
        parts: the cover rate, in parts of 2^32, >= 1.
        people: respondents, with any value.
        k: suppressions needed.
        delta: probability that there are fewer, in (0, 1).
    """
    # The rate is found by bisection, because it falls as more people have listed values.
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
    """Return the cover rate for a number of people with listed values, in parts of 2^32.

    Infinite if no rate makes k suppressions likely enough.
    """
    parts = cover(listed_, people - listed_, k, delta)
    return float("inf") if parts is None else parts
