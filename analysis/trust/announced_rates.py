"""What a call tells by the rate of its covers: how many people have a value that is left blank.

The cover of a column is the least with which r listed people and n - r others make k blanks
(binomial_covers.py), so whoever reads the call can look for the r that it is the cover of. Every
other r has another cover, but for rounding to parts of 2^32; where two fit, nothing is made of it.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK, OTHER, Redact
from ...protocol.record import CountsSeen
from ..estimation.binomial_covers import cover

if TYPE_CHECKING:
    from ...protocol.messages import Counts
    from ...protocol.view import View

FIRST = 1  # the round of which the curator read the counts that it decided from


def announced(view: "View", columns: int) -> "Iterator[CountsSeen]":
    """Anybody: what the covers of a decision tell. columns: how many the table has, >= 1.

    As counts of round 1: how many have one of the values that its rule names (BLANK), and how many
    another (OTHER).
    """
    if view.decision is None:
        return
    proof = view.decision.certificate
    for rule in view.decision.hidden:
        if isinstance(rule, Redact) and rule.cover and proof.slack:
            lows = listed(rule.cover, proof.n, proof.k, proof.slack / columns / 2)
            if len(lows) == 1:
                counts: Counts = {(BLANK,): lows[0], (OTHER,): proof.n - lows[0]}
                yield CountsSeen(FIRST, (rule.column,), counts, (rule,))


def listed(parts: int, people: int, k: int, delta: float) -> Sequence[int]:
    """The numbers of listed people whose cover, among so many people, is this one: mostly one.

    Args:
        parts: the cover, in parts of 2^32, >= 1.
        people: who answered, listed or not.
        k: blanks that are needed.
        delta: probability with which there may be fewer, in (0, 1).
    """
    low, high = 0, min(k - 1, people)  # the cover falls as more are listed
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
    parts = cover(listed_, people - listed_, k, delta)
    return float("inf") if parts is None else parts
