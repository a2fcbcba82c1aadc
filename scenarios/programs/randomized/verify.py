"""Verification that the estimates of `histogram` follow from the recorded counts of reports.

The counts are read from the board, mechanism and budget from the scenario. The true shares are not
on the board: the check takes them as claimed and tests that they add up to 1. A replay recomputes
them.
"""

from collections.abc import Sequence
from math import isclose

from ....errors import VerificationError
from ....protocol.wire.messages import Counts
from ...serialization.record import plain
from ..claim_check import CLOSE, claimed, require_close
from ..evidence import ProgramEvidence
from ..noisy_questions import Question, gathered, questions, rule
from .numeric_estimates import MeasuredFeature, compare_with_truth, measures
from .open_domain_values import FoundFeature, searched
from .open_domain_values import compare_with_truth as found_held
from .privacy import PrivacyLoss, after_shuffling, unseen_information
from .score import Randomized, budget_of, estimates
from .share_estimates import limits, worst

# relative tolerance of epsilons, because each solves an equation that is solved to 1e-6
SOLVED = 1e-5


def recomputed(evidence: ProgramEvidence) -> str:
    """Recompute estimates, errors and intervals from the counts of reports; return a summary."""
    findings = claimed(evidence, Randomized)
    counts, source = evidence.counts(1)
    names = evidence.result.features
    _terms(evidence, findings)
    values = findings.domains
    if tuple(map(len, values)) != tuple(evidence.run.sizes):
        raise VerificationError(
            "result.json, findings: the numbers of values of the features differ from the run's"
        )
    noisy_questions = questions(evidence.run.scenario, names, values)
    received = gathered(noisy_questions, counts)
    pairs = zip(noisy_questions, received, strict=True)
    read = [estimate for question, count in pairs for estimate in estimates(question, count, names)]
    wrote = [*findings.features, *([findings.joint] if findings.joint else [])]
    has_truth = not evidence.run.scenario.population.answered
    computed_limits = [
        limits(untested, _shares(its.truth, has_truth=has_truth))
        for untested, its in zip(read, wrote, strict=True)
    ]
    for estimate, its in zip(computed_limits, wrote, strict=True):
        require_close(estimate.feature, plain(estimate), plain(its))
    require_close("error", plain(worst(computed_limits[: len(names)])), plain(findings.error))
    if not has_truth:
        shares = [estimate.projected for estimate in computed_limits]
        require_close(
            "information", unseen_information(noisy_questions, shares), findings.privacy.information
        )
    numbers = _measured(noisy_questions, received, findings.measured) + _verify_values(
        noisy_questions, received, findings.found
    )
    _shuffled(noisy_questions, received, findings.privacy, evidence.run.scenario.local.relied_on)
    reports = sum(
        estimate.reports
        for estimate in computed_limits[: len(names)] or findings.measured or findings.found
    )
    return (
        f"{len(computed_limits) + numbers} estimates recomputed from {reports:,} reports, "
        f"from {source}"
    )


def _measured(
    noisy_questions: Sequence[Question], counts: Sequence[Counts], claims: Sequence[MeasuredFeature]
) -> int:
    """Verify that each claimed number, such as a mean, follows from the reports.

    The true values are taken as claimed. Return the number of claimed numbers. counts: the counts
    of the reports to each question. claims: the numbers in result.json.
    """
    computed_measures = [
        measured
        for pair in zip(noisy_questions, counts, strict=True)
        if (measured := measures(*pair))
    ]
    if len(computed_measures) != len(claims):
        raise VerificationError(
            "result.json, findings.measured: the reports give numbers for other features than are "
            "claimed"
        )
    for measured, its in zip(computed_measures, claims, strict=True):
        if len(measured.measures) != len(its.measures):
            raise VerificationError(
                f"{measured.feature}: claims other numbers (such as a mean) than the reports give"
            )
        truth = [number.truth for number in its.measures]
        computed = compare_with_truth(measured, lambda place, _, truth=truth: truth[place])  # type: ignore[misc]
        require_close(measured.feature, plain(computed), plain(its))
    return sum(len(measured.measures) for measured in claims)


def _verify_values(
    noisy_questions: Sequence[Question], counts: Sequence[Counts], claims: Sequence[FoundFeature]
) -> int:
    """Verify that each claimed value of a feature without listed values follows from the reports.

    The true shares are taken as claimed. Return the number of found values. counts: the counts of
    the reports to each question. claims: the values in result.json.
    """
    computed_values = [
        values for pair in zip(noisy_questions, counts, strict=True) if (values := searched(*pair))
    ]
    if len(computed_values) != len(claims):
        raise VerificationError(
            "result.json, findings.found: the reports reveal values of other features than are "
            "claimed"
        )
    for values, its in zip(computed_values, claims, strict=True):
        if len(values.found_values.values) != len(its.found):
            raise VerificationError(
                f"{values.feature}: the reports reveal other values than are claimed"
            )
        computed = found_held(values, [value.truth for value in its.found], its.missed)
        require_close(values.feature, plain(computed), plain(its))
    return sum(len(values.found) for values in claims)


def _terms(evidence: ProgramEvidence, findings: Randomized) -> None:
    """Raise VerificationError unless the claimed noise and epsilons are the scenario's."""
    scenario, features = evidence.run.scenario, len(evidence.result.features)
    require_close("mechanism", scenario.local.mechanism, findings.mechanism)
    require_close("rule", rule(scenario.local, features), findings.rule)
    require_close("epsilon", plain(budget_of(scenario.local, features)), plain(findings.budget))


def _shuffled(
    noisy_questions: Sequence[Question],
    counts: Sequence[Counts],
    claims: PrivacyLoss,
    relied_on: int | None,
) -> None:
    """Verify every claimed epsilon after shuffling, from the noise and the number of reports.

    relied_on: people assumed to keep their reports secret; None: all. counts: the counts of the
    reports to each question. claims: the epsilons in result.json.
    """
    each, joint = after_shuffling(
        noisy_questions,
        [
            sum(count.values()) // question.randomizer.messages_per_person
            for question, count in zip(noisy_questions, counts, strict=True)
        ],
        relied_on,
    )
    computed = [plain(shuffled) for shuffled in (*each, joint) if shuffled]
    wrote = [plain(shuffled) for shuffled in (*claims.shuffled, claims.together) if shuffled]
    require_close("epsilons after shuffling", computed, wrote, close=SOLVED)


def _shares(truth: Sequence[float], *, has_truth: bool) -> tuple[float, ...]:
    """Return the claimed true shares; VerificationError if they do not add up to 1.

    has_truth: whether the true values are known; else no shares may be claimed.
    """
    if not has_truth:
        if truth:
            raise VerificationError(
                "result.json, findings: true shares are claimed, but the answers arrived with noise"
            )
        return ()
    if min(truth, default=-1.0) < 0 or not isclose(sum(truth), 1, abs_tol=CLOSE):
        raise VerificationError("result.json, findings: the claimed true shares do not add up to 1")
    return tuple(truth)
