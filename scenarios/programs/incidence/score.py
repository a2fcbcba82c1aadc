"""The number of elements that are in exactly t sets: estimates from flipped vectors, with errors.

Each of n owners sends the bit vector of its set in pieces, each an answer of its own. Psi_t is the
number of positions (elements) that exactly t of the n received noisy vectors set. From Psi,
`analysis.incidence` estimates the true numbers, with limits for all t at once. If reports of a
piece are missing, its positions are left out, because fewer than n vectors count there. The truth
is known if as many vectors were received as owners took part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import field

from ....analysis.incidence import Count, IncidenceEstimate, estimate, eta_of, incidence
from ....analysis.randomizers import BitFlip
from ....errors import VerificationError
from ....protocol.wire.messages import Counts
from ...populations import Population
from ...populations.sets import (
    piece_ends,
    piece_names,
    positions_of,
    readable,
    unpack_text,
    vectors_of,
)
from ...schema.model import IncidenceSection, Local
from ...serialization.record import Record, plain
from ..claim_check import claimed, require_close
from ..evidence import ProgramEvidence
from ..findings import Findings, StatedEpsilon
from ..noisy_questions import Question

if TYPE_CHECKING:
    from ...populations import Population
    from ..interface import ScoringSettings

SEED = 0x73657473  # seed of the method bayes, which samples: equal counts give equal estimates

# Neighbouring data, with two meanings: one element is added to or removed from the set of one
# owner, or from the sets of any number of owners.
ONE_MEMBERSHIP, ONE_ELEMENT = "replace one membership", "replace one element's memberships"


class IncidenceBudget(Record, frozen=True):
    """The privacy budgets of one bit of a vector, and of one element in the sets of all owners.

    Attributes:
        position: epsilon of one bit of one owner.
        element: epsilon of all bits of one element, one bit of each owner.
        unit: the unit of both epsilons.
    """

    position: float
    element: float
    unit: str = "nats"


class ElementCount(Record, frozen=True):
    """An estimated number of elements of sets, with simultaneous confidence limits and the truth.

    Attributes:
        value: the estimate.
        low: the lower limit of the number.
        high: the upper limit of the number.
        truth: the true number; None if it is not known.
    """

    value: float = field(name="estimate")
    low: float
    high: float
    truth: int | None

    def __str__(self) -> str:
        """Return the estimate and its limits as text, rounded to whole elements."""
        return f"{self.value:,.0f} in [{self.low:,.0f}, {self.high:,.0f}]"


class CountErrors(Record, frozen=True):
    """The errors of the estimated numbers of elements in exactly t sets, for all t.

    Both are None if the true numbers are not known.

    Attributes:
        largest: the largest absolute error, a number of elements.
        covered: for how many t the true number lies within its confidence limits.
    """

    largest: float | None
    covered: int | None = field(name="limits_that_hold_the_truth")


class IncidenceFindings(Findings, frozen=True, tag="incidence"):
    """The findings of policy.kind "incidence": for each t, the elements in exactly t of n sets.

    A position is an element's place in the bit vectors of all n owners. psi, phi, low, high and
    truth have, for each t = 0 .. n, the number of positions that exactly t vectors set.

    Attributes:
        owners: n, the number of owners whose vectors were read.
        positions: the number of counted positions.
        left_out: positions not counted, because reports of their piece of the vectors are missing.
        outside: received texts that do not have the format of a report.
        rule: the noise, as it was announced.
        budget: the privacy budget (epsilons) of the reports.
        eta: 1 minus twice the probability that a bit is flipped.
        method: the estimator of the counts.
        beta: the limits of all counts hold together with probability 1 - beta (method bayes: a
            credible band).
        psi: counts in the received, noisy vectors.
        phi: estimates of the counts in the vectors without noise.
        low, high: confidence limits of these counts.
        truth: the true counts; None if the vectors read are not exactly the owners'.
        union, intersection: elements in at least one set, and in all sets.
        error: the errors of the estimates.
        note: a remark on reading the estimates.
        information: bits that all reports of one owner, linked to the owner, leak about which set
            it has.
        information_error: the standard error of `information`.
    """

    owners: int
    positions: int
    left_out: int
    outside: int
    rule: str
    budget: IncidenceBudget = field(name="epsilon")
    eta: float
    method: str
    beta: float
    psi: tuple[int, ...]
    phi: tuple[float, ...] = field(name="estimate")
    low: tuple[float, ...]
    high: tuple[float, ...]
    truth: tuple[int, ...] | None
    union: ElementCount
    intersection: ElementCount
    error: CountErrors
    note: str
    information: float
    information_error: float

    @property
    def epsilon(self) -> float:
        """The epsilon, in nats, of one bit of an owner's report."""
        return self.budget.position

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """The epsilon of one membership (element in a set), and of one element in all sets."""
        position, element = self.budget.position, self.budget.element
        return (
            StatedEpsilon("local: one membership", position, position, 0.0, ONE_MEMBERSHIP),
            StatedEpsilon("local: one element", element, element, 0.0, ONE_ELEMENT),
        )

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of owners with a vector that was read, in a tuple: there is a single round."""
        return (self.owners,)

    @property
    def bits(self) -> float:
        """Bits that all reports of an owner, linked to the owner, leak about its set."""
        return self.information

    @property
    def short(self) -> str:
        """The announced noise and the number of elements in at least one set, for run tables."""
        return f"{self.rule}, in any set {self.union}"

    @property
    def largest_error(self) -> float | None:
        """The largest error of an estimated number of elements in exactly t sets, over all t."""
        return self.error.largest

    @property
    def covered(self) -> int | None:
        """The number of t at which the confidence limits of the estimate contain the true number.

        The number at t = 0 .. n is that of elements in exactly t of the n sets. None if the true
        numbers are unknown.
        """
        return self.error.covered


def errors(
    phi: Sequence[float], low: Sequence[float], high: Sequence[float], truth: Sequence[int] | None
) -> CountErrors:
    """Compare estimated counts and their confidence limits with the true counts.

    phi, low, high, truth: for each t, the estimated elements in exactly t sets, the limits, and the
    true number. truth None: the true counts are not known, so the errors are None.
    """
    if truth is None:
        return CountErrors(None, None)
    missed = [abs(estimate - true) for estimate, true in zip(phi, truth, strict=False)]
    inside = sum(a <= true <= b for a, true, b in zip(low, truth, high, strict=True))
    return CountErrors(max(missed, default=None), inside)


def _counted(count: Count, truth: int | None) -> ElementCount:
    """Convert a count of `analysis` to the record of result.json, with the true number."""
    return ElementCount(count.value, count.low, count.high, truth)


@dataclass(frozen=True, slots=True)
class VectorTally:
    """The counts of the noisy bit vectors that the analyst read.

    A position is an element's place in a vector. An owner sends its vector in pieces.

    Attributes:
        psi: for each t from 0 to n, the number of positions that exactly t vectors set, in the
            pieces that all n owners sent.
        owners: n, the number of owners with vectors that were read.
        whole: for each piece, whether all n reports of it arrived.
        left_out: the number of positions in pieces with missing reports.
        outside: the number of texts that do not have the format of a report.
    """

    psi: Any
    owners: int
    whole: tuple[bool, ...]
    left_out: int
    outside: int


def tally(sizes: Sequence[int], counts: Sequence[Counts]) -> VectorTally | None:
    """Analyst: count the positions by the number of vectors that set them; None without vectors.

    A position is an element's place in the bit vectors. sizes: bits of each piece of a vector.
    counts: for each piece, how often each text was received.
    """
    read = [list(readable(count, bits)) for count, bits in zip(counts, sizes, strict=True)]
    vector_counts = [sum(times for _, times in piece) for piece in read]
    n = max(vector_counts, default=0)
    if not n:
        return None
    psi = np.zeros(n + 1, np.int64)
    for piece, bits, people in zip(read, sizes, vector_counts, strict=True):
        if people == n:
            rows = unpack_text([text for text, _ in piece], bits).astype(np.int64)
            set_counts = np.array([times for _, times in piece]) @ rows
            psi += np.bincount(set_counts, minlength=n + 1)
    whole = tuple(people == n for people in vector_counts)
    omitted_positions = sum(
        bits for bits, all_of_it in zip(sizes, whole, strict=True) if not all_of_it
    )
    outside = sum(sum(count.values()) for count in counts) - sum(vector_counts)
    return VectorTally(psi, n, whole, omitted_positions, outside)


def estimated(
    section: IncidenceSection, epsilon: float, vector_tally: VectorTally
) -> IncidenceEstimate:
    """Analyst: estimate, for each t, the number of positions that t vectors set before the noise.

    epsilon: the budget of one bit, in nats.
    """
    return estimate(vector_tally.psi, eta_of(epsilon), section.beta, section.method, rng=SEED)


def score(
    settings: "ScoringSettings",
    people: "Population",
    present: Any,
    leakage_measure: Callable[[], tuple[float, float]],
    tallies: Sequence[Sequence[Counts]],
) -> IncidenceFindings | None:
    """Return the release program's own scores (findings) of a run; None if no vector was read.

    present: the indices of the owners that took part. leakage_measure: returns the bits that an
    owner's reports leak about its set, with their standard error. tallies: for each round, the
    counts that the analyst read.
    """
    sizes = [question.randomizer.bits for question in settings.questions]
    vector_tally = tally(sizes, tallies[0]) if tallies else None
    if vector_tally is None:
        return None
    truth = None
    if vector_tally.owners == len(present):
        whole_positions = np.repeat(np.array(vector_tally.whole), sizes)
        truth = tuple(incidence(vectors_of(people)[present][:, whole_positions]).tolist())
    return result(settings.incidence, settings.local, vector_tally, truth, leakage_measure())


def result(
    section: IncidenceSection,
    local: Local,
    vector_tally: VectorTally,
    truth: tuple[int, ...] | None,
    leakage: tuple[float, float],
) -> IncidenceFindings:
    """Return the findings: estimates from the counted vectors, with the truth and the leakage.

    truth: for each t, the true number of elements in exactly t sets; None if it is not known.
    leakage: bits that an owner's reports leak about its set, and their standard error.
    """
    from ..noisy_questions import rule

    epsilon = local.epsilon or 0.0
    estimate = estimated(section, epsilon, vector_tally)
    phi, low, high = (tuple(ends.tolist()) for ends in (estimate.phi, estimate.low, estimate.high))
    return IncidenceFindings(
        vector_tally.owners,
        estimate.m,
        vector_tally.left_out,
        vector_tally.outside,
        rule(local, 0),
        IncidenceBudget(epsilon, epsilon * vector_tally.owners),
        estimate.eta,
        estimate.method,
        estimate.beta,
        tuple(vector_tally.psi.tolist()),
        phi,
        low,
        high,
        truth,
        _counted(estimate.union, None if truth is None else sum(truth[1:])),
        _counted(estimate.intersection, None if truth is None else truth[-1]),
        errors(phi, low, high, truth),
        estimate.note,
        *leakage,
    )


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute noisy counts, estimates and limits from the recorded vectors; return a summary.

    The vectors are read from the board, budget and method from the scenario. The true counts are
    not on the board: the check takes them as claimed and tests that they add up to the number of
    positions. A replay recomputes them, and the leakage of an owner's reports.
    """
    findings = claimed(evidence, IncidenceFindings)
    counts, source = evidence.counts(1)
    ends = pairwise(piece_ends(len(evidence.run.sizes)))
    vector_tally = tally([last - first for first, last in ends], counts)
    if vector_tally is None:
        raise VerificationError("result.json, findings: counts are claimed, but no vector was read")
    truth = findings.truth
    if truth is not None and (min(truth) < 0 or sum(truth) != findings.positions):
        raise VerificationError(
            "result.json, findings.truth: the counts do not add up to the counted elements"
        )
    leakage, scenario = (findings.information, findings.information_error), evidence.run.scenario
    require_close(
        "incidence",
        plain(result(scenario.incidence, scenario.local, vector_tally, truth, leakage)),
        plain(findings),
    )
    return (
        f"{findings.owners + 1} counts of {findings.positions:,} positions estimated again from "
        "the "
        f"vectors of {findings.owners} owners, from {source}"
    )


def noise(epsilon: float, positions: int) -> tuple[Question, ...]:
    """Return a question for each piece of a bit vector, with the randomizer that flips its bits.

    epsilon: of one bit, in nats. positions: bits of a whole vector. The questions list no possible
    answers.
    """
    q = 1 / (1 + exp(epsilon))
    named = zip(piece_names(positions), pairwise(piece_ends(positions)), strict=True)
    return tuple(
        Question(name, (column,), ((),), BitFlip(last - first, q), packed=True)
        for column, (name, (first, last)) in enumerate(named)
    )


def pieces(epsilon: float, people: Population) -> tuple[Question, ...]:
    """Return a question for each piece of the owners' bit vectors, with its possible texts.

    epsilon: of one bit, in nats. people: the owners of sets.
    """
    questions = noise(epsilon, positions_of(people))
    return tuple(
        replace(question, values=(texts,))
        for question, texts in zip(questions, people.values, strict=True)
    )
