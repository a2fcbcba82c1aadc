"""The leakage of a run's reports about one person, and their privacy parameters.

    information    I(value; report) of a person and a report linked to the person, in bits. A value
                   is as likely as it is frequent among the participants; all features together
                   if a person has several reports.

With one question and a small matrix Q (probability of each report given a value), it is the sum
over reports. Else it is the mean of log2 P(report | row) / P(report) over rows and reports drawn
with a fixed seed, with its standard error. A report of unary encoding or local hashing supports
some values. Up to a factor that is the same for all rows, P(report | row) is e^eps if the report
supports the row's value, else 1.

    epsilon after shuffling    the privacy loss of one person through all reports to a question
                               together; exact for one bit (paper 001), else between certified
                               bounds (analysis/shuffled/amplification.py); of all questions
                               together, composed (analysis/shuffled/composition.py)
    average privacy S_mu       the share of the information about a value that a report hides
    participation factor       the number of noiseless answers that one report is worth

The last two are those of paper 002 (Definitions 4.1 and 6.10), for the Jeffreys prior and one
feature.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log, prod, sqrt
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...serialization.record import Record
from ..findings import StatedEpsilon
from ..noisy_questions import Question

# Most entries (reports times values) of a randomizer's matrix that is computed. With more entries,
# the information in reports is sampled or left out, and average privacy needs a closed form.
SMALL = 1 << 20
# most different rows with which the information is sampled; with more it is not computed
ROWS = 1 << 16
DRAWS = 4096
TABLE = 1 << 22  # most likelihoods of sampled reports in memory at a time
SUPPORTS = 1 << 24  # most (sampled report, value) pairs in memory at a time
# largest number of possible rows to number rows in 64 bits; with more, rows are compared
WORD = 1 << 62
SEED = 0x746F6C64
DELTA = 1e-6  # the delta of every epsilon after shuffling
# neighbouring collections differ in the answers of one person; the number of participants is public
ADJACENCY = "replace one"
# most reports of several bits that a bound counts; the bound also holds with more reports, because
# each hides a person further
CROWD = 200_000
# most bits of a report with a flipped bit for each feature, to compute its epsilon after shuffling;
# a report with more bits gets no such epsilon
MOST_BITS = 6
# most values of a feature to compute the participation factor (the number of noiseless answers that
# a report is worth); with more values the factor is None
MAX_FACTOR_VALUES = 16
MOST_NATS = 1e9  # nats: the largest recorded epsilon; it means that there is no bound
# points of the quasi-Monte-Carlo integration, for participation factors without a closed form
POINTS = 1024


class Shuffled(Record, frozen=True):
    """Epsilon after shuffling, at `DELTA`: of the reports to one question, or to all questions.

    The probabilistic epsilons are None if reports have more than one bit.

    Attributes:
        feature: the question, or None for all of them.
        reports: the number of reports in the batch, of a question.
        q: probability that a bit is flipped, of a one-bit report.
        delta: the delta of the epsilons.
        hockey_stick, probabilistic: upper bounds on epsilon in nats, for two meanings of delta
            (paper 001, section 5.4). hockey_stick: the standard definition of (epsilon, delta).
            probabilistic: the privacy loss exceeds epsilon with probability delta at most.
        hockey_stick_at_least, probabilistic_at_least: lower bounds; equal to the upper bounds if
            exact.
        rule: the method that computed the bounds.
        adjacency: the difference between neighbouring collections: the answers of one person.
        relied_on: people assumed to keep their reports secret, for whom the epsilons hold; None:
            all senders.
    """

    feature: str | None
    reports: int | None
    q: float | None
    delta: float
    hockey_stick: float
    hockey_stick_at_least: float
    probabilistic: float | None
    probabilistic_at_least: float | None
    rule: str
    adjacency: str = ADJACENCY
    relied_on: int | None = None


class QuestionPrivacy(Record, frozen=True):
    """Average privacy and participation factor of the reports about a feature or bit, both 0 to 1.

    Average privacy S_mu is the share of the information about a value that a report hides (paper
    002, Definition 4.1). The participation factor is the number of noiseless answers that one
    report is worth for estimates of shares (Definition 6.10).

    Attributes:
        feature: the name of the feature, or "any one bit".
        average_privacy: S_mu; None if the computation would take long.
        participation: the participation factor; None if the computation would take long, or the
            exact distribution is not known.
    """

    feature: str
    average_privacy: float | None
    participation: float | None


class PrivacyLoss(Record, frozen=True):
    """The privacy parameters of the reports of a run.

    Attributes:
        information: bits that a person's reports carry about its values; None if not computed. With
            the estimated shares as prior if the truth is unknown.
        information_error: the standard error of `information`, 0 if it is exact.
        shuffled: epsilon after shuffling of each question; () if none better than the local epsilon
            is known.
        together: epsilon after shuffling of all questions; None with a single question.
        readings: average privacy (the share of the information about a value that a report hides)
            of each question, of bit-flip for any single bit. Questions about a feature that each
            person draws at random have none.
    """

    information: float | None
    information_error: float
    shuffled: tuple[Shuffled, ...]
    together: Shuffled | None
    readings: tuple[QuestionPrivacy, ...]


def read_privacy(
    questions: Sequence[Question], codes: Any, reports: Sequence[int], relied_on: int | None = None
) -> PrivacyLoss:
    """Return the privacy parameters of a run with known true values.

    These are the information in reports, epsilons after shuffling, and average privacy. codes:
    indices of the participants' values in the domains. reports: the number of reports read, for
    each question. relied_on: people assumed to keep their reports secret; None: all.
    """
    shuffled, whole = after_shuffling(questions, reports, relied_on)
    return PrivacyLoss(*information(questions, codes), shuffled, whole, tuple(_readings(questions)))


def unseen_privacy(
    questions: Sequence[Question],
    shares: Sequence[Sequence[float]],
    reports: Sequence[int],
    relied_on: int | None = None,
) -> PrivacyLoss:
    """Return the privacy parameters of a run without the true values.

    These are the information in reports, epsilons after shuffling, and average privacy.

    Args:
        questions: the questions that people answered with noise.
        shares: for each question, the estimated share of each value, used as its probability.
        reports: the number of reports read, for each question.
        relied_on: people assumed to keep their reports secret; None: all.
    """
    shuffled, whole = after_shuffling(questions, reports, relied_on)
    information_bits = unseen_information(questions, shares)
    return PrivacyLoss(information_bits, 0.0, shuffled, whole, tuple(_readings(questions)))


def unseen_information(
    questions: Sequence[Question], shares: Sequence[Sequence[float]]
) -> float | None:
    """Return the bits that a person's reports carry about its values, from estimated shares.

    shares: for each question, the estimated share of each value, used as its probability. Answers
    to different questions are assumed to be independent. None if a randomizer's matrix is too
    large, or a report is about several values.
    """
    question_bits = [_estimated_information(*pair) for pair in zip(questions, shares, strict=False)]
    bits = [each for each in question_bits if each is not None]
    return sum(bits) if len(bits) == len(questions) else None


def _estimated_information(question: Question, shares: Sequence[float]) -> float | None:
    """Return the bits that a report carries about its value. shares: the probability of each value.

    None if the randomizer's matrix is too large, or a report is about several values.
    """
    randomizer = question.randomizer
    if _is_joint(randomizer) or randomizer.outputs * randomizer.inputs > SMALL:
        return None
    return _summed(randomizer.matrix, np.asarray(shares))


def _is_joint(randomizer: Any) -> bool:
    """Whether an input of the randomizer is a row of bits or values, not a single value."""
    return bool(randomizer.takes_bits or randomizer.takes_rows)


def after_shuffling(
    questions: Sequence[Question], reports: Sequence[int], relied_on: int | None = None
) -> tuple[tuple[Shuffled, ...], Shuffled | None]:
    """Return the epsilons after shuffling of each question, and of all questions together.

    reports: the number of reports to each question. relied_on: people assumed to keep their reports
    secret; None: all. Disclosed reports are removed from the batch, so only the reports of these
    people hide each other. None for all questions together, if there is no bound for them.
    """
    bounded_questions = [
        (question, report_count)
        for question, report_count in zip(questions, reports, strict=True)
        if report_count
        and not (question.randomizer.takes_bits and question.randomizer.positions > MOST_BITS)
    ]
    shuffled = tuple(
        _shuffled(question, report_count, relied_on) for question, report_count in bounded_questions
    )
    if any(question.randomizer.messages_per_person > 1 for question in questions):
        return shuffled, None
    if not len(bounded_questions) == len(questions) > 1:
        return shuffled, None
    parts = tuple(
        (question.randomizer, honest(report_count, relied_on))
        for question, report_count in bounded_questions
    )
    counted = relied_on and min(people for _, people in parts)
    return shuffled, replace(_compose(parts), relied_on=counted)


def honest(reports: int, relied_on: int | None) -> int:
    """Return the number of reports that hide each other in a batch: those that are kept secret.

    reports: all reports. relied_on: people assumed to keep their reports secret; None: all. A
    disclosed report does not hide any other report.
    """
    return reports if relied_on is None else min(reports, relied_on)


def _shuffled(question: Question, reports: int, relied_on: int | None) -> Shuffled:
    """Return the epsilon after shuffling of the reports to one question.

    reports: the number of reports. relied_on: people assumed to keep their reports secret; None:
    all. A disclosed report hides no other report.
    """
    people = honest(reports, relied_on)
    if question.randomizer.messages_per_person > 1:
        epsilon = _mixed(question, people)
    else:
        epsilon = _compose(((question.randomizer, people),))
    return replace(
        epsilon,
        feature=question.name,
        reports=reports,
        q=question.randomizer.one_bit,
        relied_on=relied_on and people,
    )


def _mixed(question: Question, reports: int) -> Shuffled:
    """Return the epsilon after shuffling of a mechanism that splits each report into messages.

    The bound holds only if enough people add their part of the noise; with fewer than `people` of
    the randomizer there is no bound. reports: the number of people with reports.
    """
    randomizer = question.randomizer
    min_people = randomizer.people
    enough = reports >= min_people
    rule = (
        f"split in {randomizer.messages_per_person} shares; while {min_people:,} people or more "
        "add "
        "their noise"
        if enough
        else f"fewer than the {min_people:,} people whose noise is needed: nothing is promised"
    )
    high = randomizer.local if enough else MOST_NATS
    return Shuffled(question.name, reports, None, DELTA, high, 0.0, None, None, rule)


@lru_cache(maxsize=256)
def _compose(parts: tuple[tuple[Any, int], ...]) -> Shuffled:
    """Return the epsilon after shuffling of several questions together.

    parts: for each question, the randomizer and the number of reports. At most CROWD reports of
    several bits count. The bound also holds with more reports, because each hides a person further.
    """
    from ....analysis.shuffled import compose_reports

    counted = [
        report_count if randomizer.one_bit else min(report_count, CROWD)
        for randomizer, report_count in parts
    ]
    composed = compose_reports([randomizer for randomizer, _ in parts], counted, DELTA)
    huge = counted != [report_count for _, report_count in parts]
    low, likely = composed.hockey_stick.low, composed.probabilistic
    return Shuffled(
        None,
        None,
        None,
        DELTA,
        min(composed.hockey_stick.high, MOST_NATS),
        0.0 if huge else min(low, MOST_NATS),
        likely.high if likely else None,
        likely.low if likely else None,
        composed.hockey_stick.rule + (f"; as of {CROWD:,} reports" if huge else ""),
    )


def _readings(questions: Sequence[Question]) -> Iterator[QuestionPrivacy]:
    """Yield average privacy and participation factor of the reports to each question.

    Average privacy is the share of the information about a value that a report hides. Questions
    about a feature that each person draws at random have none.
    """
    for question in questions:
        if question.randomizer.takes_rows:
            # average privacy is about a single value, but this report is about one of several drawn
            # at random
            continue
        randomizer = question.randomizer.single()
        yield QuestionPrivacy(question.name, *_information_metrics(randomizer))


@lru_cache(maxsize=256)
def _information_metrics(randomizer: Any) -> tuple[float | None, float | None]:
    """Return average privacy and participation factor of a randomizer; None where it takes long.

    Average privacy is the share of the information about a value that a report hides; the
    participation factor is the number of noiseless answers that one report is worth.
    """
    protocol = _matrix(randomizer)
    if protocol is None:
        return None, None
    factor = None
    if randomizer.a <= MAX_FACTOR_VALUES:
        from ....analysis.information import participation_factor

        factor = participation_factor(protocol, np.full(randomizer.a, 0.5), points=POINTS)
    return average_privacy_of(randomizer), factor


def _matrix(randomizer: Any) -> Any:
    """Return the input to the computation of average privacy: the randomizer, or its matrix.

    The randomizer if average privacy has a closed form. None if the matrix is too large.
    """
    if randomizer.closed_form:
        return randomizer
    # Local hashing has a closed form only for the set of all hash functions. The randomizer has a
    # smaller family of functions, so its matrix is needed.
    return randomizer.matrix if randomizer.outputs * randomizer.inputs <= SMALL else None


def entries_of(randomizer: Any) -> int:
    """Return the number of entries of the matrix from which average privacy is computed.

    Average privacy is the share of information that a report hides. 0 if it is computed without a
    matrix, or not at all.
    """
    entries: int = randomizer.outputs * randomizer.inputs
    return 0 if randomizer.closed_form or entries > SMALL else entries


def average_privacy_of(randomizer: Any) -> float | None:
    """Return the average privacy S_mu of a randomizer, 0 to 1, with the Jeffreys prior.

    S_mu is the share of the information about a person's value that a report hides. None if the
    computation would take long.
    """
    from ....analysis.information import average_privacy

    protocol = _matrix(randomizer)
    return None if protocol is None else average_privacy(protocol, np.full(randomizer.a, 0.5))


def information(questions: Sequence[Question], codes: Any) -> tuple[float | None, float]:
    """Return the bits that a person's reports carry about its values, and the standard error.

    codes: indices of the participants' values in the domains. (None, 0) without participants, or
    with too many different rows.
    """
    if not len(codes):
        return None, 0.0
    rows, people = _distinct(codes)
    weights = people / people.sum()
    if len(questions) == 1 and not _is_joint(questions[0].randomizer):
        randomizer = questions[0].randomizer
        if randomizer.outputs * randomizer.inputs <= SMALL:
            return _summed(randomizer.matrix[:, rows[:, 0]], weights), 0.0
    if len(rows) > ROWS:
        return None, 0.0
    return _drawn(questions, rows, weights)


def _distinct(codes: Any) -> tuple[Any, Any]:
    """Return the different rows of codes, and the number of people with each row."""
    sizes = tuple((codes.max(axis=0) + 1).tolist())
    if prod(sizes) > WORD:
        return np.unique(codes, axis=0, return_counts=True)
    cells, people = np.unique(np.ravel_multi_index(tuple(codes.T), sizes), return_counts=True)
    return np.stack(np.unravel_index(cells, sizes), axis=1), people


def _summed(law: Any, weights: Any) -> float:
    """Return the mutual information, in bits, of a value and its report.

    law: the matrix P(report | value) of the randomizer: rows are reports, columns are values.
    weights: the probability of each value.
    """
    mean = law @ weights
    is_possible = mean > 0
    ratio = law[is_possible] / mean[is_possible, None]
    leakage = law[is_possible] * np.log2(np.where(ratio > 0, ratio, 1.0))
    return max(0.0, float(leakage.sum(axis=0) @ weights))


def _drawn(questions: Sequence[Question], rows: Any, weights: Any) -> tuple[float, float]:
    """Return the bits that all reports carry about a row, by sampling, and the standard error.

    rows: the different rows of values. weights: the share of people with each row.
    """
    rng = np.random.default_rng(SEED)
    widest = max(
        1 if _is_joint(question.randomizer) else question.randomizer.inputs
        for question in questions
    )
    draws = max(64, min(DRAWS, TABLE // len(rows), SUPPORTS // widest))
    true_rows = rng.choice(len(rows), draws, p=weights)
    likely = np.zeros((draws, len(rows)))
    for question in questions:
        likely += question.randomizer.log_likelihood(
            rows[:, list(question.columns)], true_rows, rng
        )
    max_log = likely.max(axis=1, keepdims=True)
    mean = np.log(np.exp(likely - max_log) @ weights) + max_log[:, 0]
    leakage = (likely[np.arange(draws), true_rows] - mean) / log(2)
    return max(0.0, float(leakage.mean())), float(leakage.std(ddof=1)) / sqrt(draws)


def shuffled_epsilons(privacy: PrivacyLoss) -> Iterator[StatedEpsilon]:
    """Yield the epsilons after shuffling, each with its delta and its adjacency."""
    every = [*privacy.shuffled, *([privacy.together] if privacy.together else [])]
    for shuffled in every:
        view = f"shuffled: {shuffled.feature or 'all features together'}"
        at, relied_on = (shuffled.delta, shuffled.adjacency), shuffled.relied_on
        ends = shuffled.hockey_stick, shuffled.hockey_stick_at_least
        yield StatedEpsilon(view, *ends, *at, relied_on=relied_on)
        if shuffled.probabilistic is not None:
            ends = shuffled.probabilistic, shuffled.probabilistic_at_least or 0.0
            yield StatedEpsilon(view, *ends, *at, "probabilistic", relied_on)
