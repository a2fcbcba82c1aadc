"""The leakage of a run's reports about one person, and their privacy parameters.

    information    I(value; report) of a person and a report linked to it, in bits. A value is
                   as likely as it is frequent among the participants; all features together
                   if a person has several reports.

With one question and a small matrix Q it is the sum over reports; else the mean of
log2 P(report | row) / P(report) over rows and reports drawn at random from a fixed seed, with its
standard error. Of unary encodings and local hashing only supports matter: up to a factor that is
the same for all rows, P(report | row) is e^eps if the report supports the row's value, else 1.

    epsilon after shuffling    the privacy loss of one person through all reports to a question
                               together; exact for one bit (paper 001), else between certified
                               bounds (analysis/shuffled/amplification.py); of all questions
                               together, composed (analysis/shuffled/composition.py)
    S_mu, participation        paper 002, Definitions 4.1 and 6.10, Jeffreys prior, one feature
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

SMALL = 1 << 20  # entries of a matrix that is summed over
ROWS = 1 << 16  # different rows; with more the information is not computed
DRAWS = 4096
TABLE = 1 << 22  # likelihoods in memory at a time
SUPPORTS = 1 << 24  # supports of drawn reports in memory at a time
WORD = 1 << 62  # largest number of possible rows that are numbered in 64 bits
SEED = 0x746F6C64
DELTA = 1e-6  # the delta of every epsilon after shuffling
ADJACENCY = "replace one"  # neighbours differ in a person's answers; participants' number is public
CROWD = 200_000  # reports of several bits beyond which more are not counted: they only protect
MOST_BITS = 6  # flipped bits of a report; with more, no bound after shuffling is computed
MAX_FACTOR_VALUES = 16  # values of a feature whose participation factor is computed
MOST_NATS = 1e9  # stands for an infinite epsilon
POINTS = 1024  # points of quasi-Monte-Carlo integration, for factors without a closed form


class Shuffled(Record, frozen=True):
    """Epsilon after shuffling, at `DELTA`: of the reports to one question, or to all questions.

    The probabilistic epsilons are None if reports have more than one bit.

    Attributes:
        feature: the question, or None for all of them.
        reports: the number of reports in the batch, of a question.
        q: probability that a bit is flipped, of a one-bit report.
        delta: the delta of the epsilons.
        hockey_stick, probabilistic: epsilon in nats, for the two readings of paper 001, section
            5.4; upper bounds.
        hockey_stick_at_least, probabilistic_at_least: lower bounds; equal to the upper bounds if
            exact.
        rule: the method that found them.
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
    """Average privacy and effective participation factor of a feature or bit, both 0 to 1.

    Average privacy (S_mu) is the part of a value that a report hides on average (paper 002,
    Definitions 4.1 and 6.10).

    Attributes:
        feature: the name of the feature, or "any one bit".
        average_privacy: S_mu; None if it would take long.
        participation: the factor; None if it would take long, or if no exact law is known.
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
        readings: average privacy per question; of bit-flip, about any single bit; without drawn
            features.
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

    codes: the places of the participants' values in the domains. reports: the number of reports
    read, for each question. relied_on: people who keep their reports secret; None: all.
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

    Estimated shares are the prior. shares: as in `unseen_information`. reports, relied_on: as in
    `read_privacy`.
    """
    shuffled, whole = after_shuffling(questions, reports, relied_on)
    information_bits = unseen_information(questions, shares)
    return PrivacyLoss(information_bits, 0.0, shuffled, whole, tuple(_readings(questions)))


def unseen_information(
    questions: Sequence[Question], shares: Sequence[Sequence[float]]
) -> float | None:
    """Return the bits that a person's reports carry about its values, from estimated shares.

    None if a randomizer's matrix is too large. shares: of the values of each question, a
    distribution each: its prior. Answers to different questions are assumed to be independent.
    """
    question_bits = [_estimated_information(*pair) for pair in zip(questions, shares, strict=False)]
    bits = [each for each in question_bits if each is not None]
    return sum(bits) if len(bits) == len(questions) else None


def _estimated_information(question: Question, shares: Sequence[float]) -> float | None:
    """Return the bits of a report about its value, with these shares as prior.

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

    relied_on: people who keep their reports secret, as many as there are at most; None: all.
    Disclosed reports are removed from the batch, so only these people hide each other.
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
    """Return the number of reports that only their senders know: these hide each other."""
    return reports if relied_on is None else min(reports, relied_on)


def _shuffled(question: Question, reports: int, relied_on: int | None) -> Shuffled:
    """Return the epsilon after shuffling of the reports to one question."""
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
    """Return the epsilon of a mechanism that splits each report into several messages.

    It holds while enough people add their part of the noise.
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

    parts: the randomizer and the number of reports of each. Reports above CROWD are not counted:
    they only protect more.
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
    """Yield the average privacy of each question, except reports of a drawn feature."""
    for question in questions:
        if question.randomizer.takes_rows:
            continue  # a report about one feature carries no information about another
        randomizer = question.randomizer.single()
        yield QuestionPrivacy(question.name, *_information_metrics(randomizer))


@lru_cache(maxsize=256)
def _information_metrics(randomizer: Any) -> tuple[float | None, float | None]:
    """Return average privacy and participation factor of a randomizer, None where it takes long."""
    protocol = _matrix(randomizer)
    if protocol is None:
        return None, None
    factor = None
    if randomizer.a <= MAX_FACTOR_VALUES:
        from ....analysis.information import participation_factor

        factor = participation_factor(protocol, np.full(randomizer.a, 0.5), points=POINTS)
    return average_privacy_of(randomizer), factor


def _matrix(randomizer: Any) -> Any:
    """Return the randomizer, or its matrix, from which average privacy is computed.

    None if that would take long.
    """
    if randomizer.closed_form:
        return randomizer
    # A closed form of local hashing holds for the set of all hash functions, not for this family.
    return randomizer.matrix if randomizer.outputs * randomizer.inputs <= SMALL else None


def entries_of(randomizer: Any) -> int:
    """Return the number of entries of the matrix from which average privacy is computed.

    0 if it is computed without a matrix, or not at all.
    """
    entries: int = randomizer.outputs * randomizer.inputs
    return 0 if randomizer.closed_form or entries > SMALL else entries


def average_privacy_of(randomizer: Any) -> float | None:
    """Return the average privacy S_mu of a randomizer, 0 to 1, with the Jeffreys prior.

    None if it would take long.
    """
    from ....analysis.information import average_privacy

    protocol = _matrix(randomizer)
    return None if protocol is None else average_privacy(protocol, np.full(randomizer.a, 0.5))


def information(questions: Sequence[Question], codes: Any) -> tuple[float | None, float]:
    """Return the bits that a person's reports carry about its row, and the standard error.

    (None, 0) if they were not computed: without participants, or with too many different rows.
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
    """Return the mutual information, in bits, of a value with these weights and its report.

    law: the matrix P(report | value) of the randomizer: rows are reports, columns are values.
    weights:
    the probability of each value.
    """
    mean = law @ weights
    is_possible = mean > 0
    ratio = law[is_possible] / mean[is_possible, None]
    leakage = law[is_possible] * np.log2(np.where(ratio > 0, ratio, 1.0))
    return max(0.0, float(leakage.sum(axis=0) @ weights))


def _drawn(questions: Sequence[Question], rows: Any, weights: Any) -> tuple[float, float]:
    """Return the bits of all reports about a row, by sampling, and the standard error.

    rows, weights: the different rows, and the share of people with each.
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
