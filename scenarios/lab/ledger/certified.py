"""The certificate of a run with noise, as the ledger keeps it: its epsilon after shuffling."""

from itertools import pairwise
from math import isfinite

import msgspec


class Certified(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The epsilon of one person's reports after shuffling: upper bounds, for all columns together.

    Attributes:
        epsilon: the bound, in nats.
        delta: the delta at which the bound holds.
        adjacency: the definition of neighbouring data sets.
        reports: the number of reports read in answer to each question.
        relied_on: number of people assumed to keep their reports secret; None: all senders.
        curve: further bounds, (epsilon, delta) with rising epsilon from 0, from which the run is
            composed with other runs.
    """

    epsilon: float
    delta: float
    adjacency: str
    reports: tuple[int, ...]
    relied_on: int | None
    curve: tuple[tuple[float, float], ...]

    @property
    def hidden(self) -> int:
        """The number of people that hide each other: assumed honest, or the fewest reports."""
        return min(self.reports) if self.relied_on is None else self.relied_on

    @property
    def top(self) -> float:
        """The largest epsilon on the privacy curve of the certificate, in nats."""
        return self.curve[-1][0]


def defect(certified: Certified) -> str | None:
    """Return a description of a defect of a certificate; None if it has no defect."""
    if not (isfinite(certified.epsilon) and certified.epsilon >= 0 and 0 < certified.delta < 1):
        return f"epsilon: found {certified.epsilon} at delta {certified.delta}"
    if not certified.reports or min(certified.reports) < 1:
        return f"reports: found {list(certified.reports)}; a number of 1 or more a question"
    if certified.relied_on is not None and not (1 <= certified.relied_on <= min(certified.reports)):
        return f"relied_on: found {certified.relied_on}; 1 to the fewest reports are accepted"
    falls = all(a[0] < b[0] and a[1] >= b[1] for a, b in pairwise(certified.curve))
    inside = all(isfinite(at) and 0 <= delta <= 1 for at, delta in certified.curve)
    if len(certified.curve) < 2 or certified.curve[0][0] != 0 or not (falls and inside):
        return "curve: two points or more with epsilons rising from 0, deltas falling, are accepted"
    return None
