"""Verification that the estimates of a run follow from the counted reports. Part of verify.py.

The counts are the board's; mechanism and budget are the scenario's. The true shares are not on the
board: the check takes them as claimed and tests that they are shares; a replay draws them again.
"""

from collections.abc import Sequence
from math import isclose

from ....errors import VerificationError
from ....protocol.messages import Counts
from ...serialization.record import plain
from ..claims import CLOSE, claimed, require_close
from ..evidence import ProgramEvidence
from .estimated import limits, worst
from .found import FoundFeature, searched
from .found import compare_with_truth as found_held
from .measured import MeasuredFeature, compare_with_truth, measures
from .privacy import PrivacyLoss, after_shuffling, unseen_information
from .questions import Question, gathered, questions, rule
from .score import Randomized, budget_of, estimates

SOLVED = 1e-5  # tolerance of values from an equation solved to 1e-6


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute estimates, errors and intervals from the counts of reports."""
    said = claimed(evidence, Randomized)
    counts, whose = evidence.counts(1)
    names = evidence.result.features
    _terms(evidence, said)
    values = said.domains
    if tuple(map(len, values)) != tuple(evidence.run.sizes):
        raise VerificationError("the estimates are about other values than the people have")
    asked = questions(evidence.run.scenario, names, values)
    received = gathered(asked, counts)
    pairs = zip(asked, received, strict=True)
    read = [estimate for question, count in pairs for estimate in estimates(question, count, names)]
    wrote = [*said.features, *([said.joint] if said.joint else [])]
    known = not evidence.run.scenario.population.answered
    again = [
        limits(untested, _shares(its.truth, known=known))
        for untested, its in zip(read, wrote, strict=True)
    ]
    for estimate, its in zip(again, wrote, strict=True):
        require_close(estimate.feature, plain(estimate), plain(its))
    require_close("error", plain(worst(again[: len(names)])), plain(said.error))
    if not known:
        shares = [estimate.projected for estimate in again]
        require_close("information", unseen_information(asked, shares), said.told.information)
    numbers = _measured(asked, received, said.measured) + _verify_values(
        asked, received, said.found
    )
    _shuffled(asked, received, said.told, evidence.run.scenario.local.relied_on)
    reports = sum(
        estimate.reports for estimate in again[: len(names)] or said.measured or said.found
    )
    return f"{len(again) + numbers} estimates recomputed from {reports:,} reports, from {whose}"


def _measured(
    asked: Sequence[Question], counts: Sequence[Counts], said: Sequence[MeasuredFeature]
) -> int:
    """Verify that every number follows from the reports; the truth is taken as claimed."""
    told = [measured for pair in zip(asked, counts, strict=True) if (measured := measures(*pair))]
    if len(told) != len(said):
        raise VerificationError("numbers are claimed of other features than have some")
    for measured, its in zip(told, said, strict=True):
        if len(measured.measures) != len(its.measures):
            raise VerificationError(
                f"{measured.feature}: other numbers are claimed than reports tell"
            )
        truth = [number.truth for number in its.measures]
        again = compare_with_truth(measured, lambda place, _, truth=truth: truth[place])  # type: ignore[misc]
        require_close(measured.feature, plain(again), plain(its))
    return sum(len(measured.measures) for measured in said)


def _verify_values(
    asked: Sequence[Question], counts: Sequence[Counts], said: Sequence[FoundFeature]
) -> int:
    """Verify that every value follows from the reports; the truth is taken as claimed."""
    told = [values for pair in zip(asked, counts, strict=True) if (values := searched(*pair))]
    if len(told) != len(said):
        raise VerificationError("values are said to be found of other features than have some")
    for values, its in zip(told, said, strict=True):
        if len(values.found.values) != len(its.found):
            raise VerificationError(f"{values.feature}: reports find other values than are claimed")
        again = found_held(values, [value.truth for value in its.found], its.missed)
        require_close(values.feature, plain(again), plain(its))
    return sum(len(values.found) for values in said)


def _terms(evidence: ProgramEvidence, said: Randomized) -> None:
    """Verify that the claimed noise is the scenario's."""
    scenario, features = evidence.run.scenario, len(evidence.result.features)
    require_close("mechanism", scenario.local.mechanism, said.mechanism)
    require_close("rule", rule(scenario, features), said.rule)
    require_close("epsilon", plain(budget_of(scenario, features)), plain(said.budget))


def _shuffled(
    asked: Sequence[Question], counts: Sequence[Counts], said: PrivacyLoss, relied_on: int | None
) -> None:
    """Verify every epsilon after shuffling, from the noise and the number of reports."""
    each, together = after_shuffling(
        asked,
        [
            sum(count.values()) // question.randomizer.messages_per_person
            for question, count in zip(asked, counts, strict=True)
        ],
        relied_on,
    )
    again = [plain(shuffled) for shuffled in (*each, together) if shuffled]
    wrote = [plain(shuffled) for shuffled in (*said.shuffled, said.together) if shuffled]
    require_close("epsilons after shuffling", again, wrote, close=SOLVED)


def _shares(truth: Sequence[float], *, known: bool) -> tuple[float, ...]:
    if not known:
        if truth:
            raise VerificationError("a truth is claimed, of people who told it to nobody")
        return ()
    if min(truth, default=-1.0) < 0 or not isclose(sum(truth), 1, abs_tol=CLOSE):
        raise VerificationError("what is claimed to be true of the people are no shares")
    return tuple(truth)
