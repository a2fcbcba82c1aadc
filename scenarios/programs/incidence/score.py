"""In how many sets the elements are: what flipped vectors say, and how far it is from the truth.

Psi_t counts the positions that are set in exactly t of the n vectors that were read, over all
pieces; `analysis.incidence` makes of it how many there truly are, with limits for all t at once.
Where reports of a piece are missing, its positions are left out: their t would be of fewer vectors.
The truth is known where as many vectors were read as owners took part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....analysis.incidence import estimate, eta_of, incidence
from ....analysis.incidence.result import Count, IncidenceEstimate
from ....protocol.messages import Counts
from ...populations.sets import readable, unpack_text, vectors_of
from ...schema.model import Scenario
from ..randomized.questions import Question

if TYPE_CHECKING:
    from ...populations import Population

SEED = 0x73657473  # of the estimator that draws (bayes): the same counts, the same estimate


@dataclass(frozen=True, slots=True)
class Incidence:
    """What came of a run of policy.kind "incidence". Counts are of positions, for t = 0 .. n.

    owners: n, whose vectors were read. positions: counted; left_out: in pieces with too few
    reports. outside: texts that are no report. epsilon: of one position, nats. psi: noisy counts.
    phi, low, high: estimates and limits that hold together with probability 1 - beta (bayes: a
    credible band). union, intersection: elements in any set, and in all. truth: None where others
    than the owners were read. information: bits that all reports of one owner, were they pinned on
    it, tell about which owner's set it is.
    """

    owners: int
    positions: int
    left_out: int
    outside: int
    rule: str
    epsilon: float
    eta: float
    method: str
    beta: float
    psi: tuple[int, ...]
    phi: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    union: Count
    intersection: Count
    truth: tuple[int, ...] | None
    note: str
    information: float
    information_error: float

    @property
    def missed(self) -> tuple[float, ...]:
        """How far each estimated count is from the true one, positions; () where it is unknown."""
        pairs = zip(self.phi, self.truth or (), strict=False)
        return tuple(abs(found - true) for found, true in pairs)

    @property
    def largest_error(self) -> float | None:
        """The largest of them."""
        return max(self.missed, default=None)

    @property
    def covered(self) -> int | None:
        """How many true counts lie within their limits."""
        if self.truth is None:
            return None
        limits = zip(self.low, self.truth, self.high, strict=True)
        return sum(low <= true <= high for low, true, high in limits)

    def plain(self) -> dict[str, Any]:
        """The content of `incidence` in result.json."""
        true = self.truth
        return {
            "owners": self.owners,
            "positions": self.positions,
            "left_out": self.left_out,
            "outside": self.outside,
            "rule": self.rule,
            "epsilon": {
                "position": self.epsilon,
                "element": self.epsilon * self.owners,
                "unit": "nats",
            },
            "eta": self.eta,
            "method": self.method,
            "beta": self.beta,
            "psi": list(self.psi),
            "estimate": list(self.phi),
            "low": list(self.low),
            "high": list(self.high),
            "truth": None if true is None else list(true),
            "union": _count(self.union, None if true is None else sum(true[1:])),
            "intersection": _count(self.intersection, None if true is None else true[-1]),
            "error": {"largest": self.largest_error, "limits_that_hold_the_truth": self.covered},
            "note": self.note,
            "information": self.information,
            "information_error": self.information_error,
        }


def _count(one: Count, truth: int | None) -> dict[str, Any]:
    return {"estimate": one.value, "low": one.low, "high": one.high, "truth": truth}


@dataclass(frozen=True, slots=True)
class Tally:
    """What was read. psi: over the positions of whole pieces; whole: which pieces these are."""

    psi: Any
    owners: int
    whole: tuple[bool, ...]
    left_out: int
    outside: int


def tally(sizes: Sequence[int], counts: Sequence[Counts]) -> Tally | None:
    """Analyst: count the positions by the number of vectors that have them; None of no vector.

    sizes: bits of each piece. counts: how often each text of it was received.
    """
    read = [list(readable(count, bits)) for count, bits in zip(counts, sizes, strict=True)]
    came = [sum(times for _, times in piece) for piece in read]
    n = max(came, default=0)
    if not n:
        return None
    psi = np.zeros(n + 1, np.int64)
    for piece, bits, people in zip(read, sizes, came, strict=True):
        if people == n:
            rows = unpack_text([text for text, _ in piece], bits).astype(np.int64)
            ones = np.array([times for _, times in piece]) @ rows
            psi += np.bincount(ones, minlength=n + 1)
    whole = tuple(people == n for people in came)
    left = sum(bits for bits, all_of_it in zip(sizes, whole, strict=True) if not all_of_it)
    outside = sum(sum(count.values()) for count in counts) - sum(came)
    return Tally(psi, n, whole, left, outside)


def estimated(scenario: Scenario, seen: Tally) -> IncidenceEstimate:
    """Analyst: how many positions are truly set in exactly t vectors."""
    wanted, eta = scenario.incidence, eta_of(scenario.local.epsilon or 0.0)
    return estimate(seen.psi, eta, wanted.beta, wanted.method, rng=SEED)


def score(
    scenario: Scenario,
    people: "Population",
    questions: Sequence[Question],
    present: Any,
    told: Callable[[], tuple[float, float]],
    tallies: Sequence[Sequence[Counts]],
) -> Incidence | None:
    """Score a run; None where nothing was read. present: indices of the owners who took part.

    told: bits that all reports of one owner tell about which set it has, with the standard error.
    """
    sizes = [question.randomizer.bits for question in questions]
    seen = tally(sizes, tallies[0]) if tallies else None
    if seen is None:
        return None
    truth = None
    if seen.owners == len(present):
        kept = np.repeat(np.array(seen.whole), sizes)
        truth = tuple(incidence(vectors_of(people)[present][:, kept]).tolist())
    return result(scenario, seen, truth, told())


def result(
    scenario: Scenario, seen: Tally, truth: tuple[int, ...] | None, told: tuple[float, float]
) -> Incidence:
    """Put together what the reports say and what is known besides."""
    from ..randomized.questions import rule

    found = estimated(scenario, seen)
    return Incidence(
        seen.owners,
        found.m,
        seen.left_out,
        seen.outside,
        rule(scenario, 0),
        scenario.local.epsilon or 0.0,
        found.eta,
        found.method,
        found.beta,
        tuple(seen.psi.tolist()),
        tuple(found.phi.tolist()),
        tuple(found.low.tolist()),
        tuple(found.high.tolist()),
        found.union,
        found.intersection,
        truth,
        found.note,
        *told,
    )
