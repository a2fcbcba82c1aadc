"""The findings of the release program `histogram`: estimated shares, their errors and privacy loss.

The unbiased estimate comes first; it may be below 0 or above 1. The nearest distribution
(`projected`) is biased. Intervals cover the true share among the participants with 95 % at least,
from the distribution of the reports. Every epsilon states its kind.
"""

from collections.abc import Iterator, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from msgspec import field

from ....analysis.randomizers import BitFlip, Estimate
from ....deprecated import keeps_old
from ....number_text import percent
from ....protocol.wire.messages import Counts
from ...populations import Population
from ...schema.mechanisms import mechanisms
from ...schema.model import Local
from ...serialization.record import Record
from ..findings import Findings, StatedEpsilon
from ..noisy_questions import MAX_LISTED, Question, feature_budget, gathered, rule
from .encoding import SymbolTally, tally
from .numeric_estimates import MeasuredFeature, against, measures
from .open_domain_values import FoundFeature, searched
from .open_domain_values import against as found_against
from .privacy import ADJACENCY, PrivacyLoss, read_privacy, shuffled_epsilons, unseen_privacy
from .share_estimates import Estimated, ShareErrors, UntestedEstimate, compare, limits, worst

# most features of a report of flipped bits to estimate the joint shares (of all combinations of
# values); with more features, only the shares of each feature are estimated
JOINT = 6


class ReportBudget(Record, frozen=True):
    """The epsilons of a person's reports.

    Attributes:
        local: epsilon of one person's whole answer.
        each: epsilon of one feature or bit.
        unit: the unit of both epsilons.
        mixed: whether both epsilons hold only after the mix, because a person's unmixed messages
            together reveal its answer.
        adjacency: the difference between neighbouring collections: the answers of one person.
    """

    local: float
    each: float
    unit: str = "nats"
    mixed: bool = False
    adjacency: str = ADJACENCY


@keeps_old(told="privacy")
class Randomized(Findings, frozen=True, tag="randomized"):
    """The findings of the release program `histogram` in a run.

    Attributes:
        mechanism: the name of the mechanism in a scenario.
        rule: the noise, as it was announced.
        budget: the epsilons of a report, before and after shuffling.
        features: the estimated shares of each feature.
        joint: the estimated shares of all features together (bit-flip with at most 6 features).
        error: the errors of the estimates, over all shares of all features; None if the truth is
            unknown.
        privacy: the privacy parameters of the reports.
        omitted: the number of different reports, if too many for the release; 0 if it holds them.
        measured: numbers besides shares, of the features that have such numbers.
        found: values of open domains that were found.
    """

    mechanism: str
    rule: str
    budget: ReportBudget = field(name="epsilon")
    features: tuple[Estimated, ...]
    joint: Estimated | None
    error: ShareErrors | None
    privacy: PrivacyLoss = field(name="privacy")
    omitted: int = field(name="reports_omitted")
    measured: tuple[MeasuredFeature, ...] = ()
    found: tuple[FoundFeature, ...] = ()

    @property
    def domains(self) -> tuple[tuple[str, ...], ...]:
        """The values of every feature."""
        return tuple(feature.values for feature in self.features or self.measured or self.found)

    @property
    def epsilon(self) -> float:
        """The epsilon of one person's whole answer, in nats."""
        return self.budget.local

    @property
    def each(self) -> float:
        """The epsilon of one feature or bit, in nats."""
        return self.budget.each

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of people counted in the only round: the largest number of any feature."""
        read = [feature.reports + feature.outside for feature in self.features]
        read += [feature.reports + feature.outside for feature in self.measured]
        read += [feature.reports + feature.outside for feature in self.found]
        return (max(read, default=0),)

    @property
    def largest_error(self) -> float:
        """The largest error of any estimated share of a feature; nan if the truth is unknown."""
        return self.error.largest if self.error else nan

    @property
    def bits(self) -> float | None:
        """The bits that a person's reports carry about its values; None if not computed."""
        return self.privacy.information

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """The local epsilons, and the epsilons after shuffling.

        An epsilon after shuffling is stated for up to two meanings of delta: the standard
        (hockey-stick) definition, and the probability that the privacy loss exceeds epsilon.
        """
        local, each = inf if self.budget.mixed else self.epsilon, self.each
        local_epsilons = [("local", local)]
        if len(self.domains) > 1 and not self.budget.mixed:
            local_epsilons.append(("local: one feature", each))
        return (
            *(
                StatedEpsilon(view, nats, nats, 0.0, self.budget.adjacency)
                for view, nats in local_epsilons
            ),
            *shuffled_epsilons(self.privacy),
        )

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The shares with a 95 % interval from 0 to 1, each as text `feature = value`."""
        return tuple(
            f"{feature.feature} = {value}"
            for feature in self.features
            for value, low, high in zip(feature.values, feature.low, feature.high, strict=True)
            if low <= 0 and high >= 1
        )

    @property
    def short(self) -> str:
        """The announced noise and the main estimate, in a clause."""
        if self.found:
            values = [value.value for feature in self.found for value in feature.found]
            return f"{self.rule}, found {', '.join(values[:3]) or 'nothing'}"
        if not self.features and self.measured:
            first = self.measured[0].measures[0]
            ends = f"{first.low_95:.4g} to {first.high_95:.4g}"
            return f"{self.rule}, {first.name} {first.estimate:.4g} ({ends})"
        if self.error is None:
            widths = [
                high - low
                for feature in self.features
                for low, high in zip(feature.low, feature.high, strict=True)
            ]
            widest = max(widths, default=nan)
            return f"{self.rule}, 95 % limits of a share at most {percent(widest)} apart"
        return f"{self.rule}, largest error {self.largest_error:.2g}"

    @property
    def mean_error(self) -> float:
        """The mean error over all shares of all features; nan if the truth is unknown."""
        return self.error.mean if self.error else nan


def score(
    local: Local,
    people: Population,
    questions: Sequence[Question],
    present: Any,
    tallies: Sequence[Sequence[Counts]],
) -> Randomized | None:
    """Return the release program's own scores (findings) of a run.

    None without questions, or if no reports were counted. present: indices of the participants.
    tallies: for each round, the counts that the analyst read.
    """
    if not questions or not tallies:
        return None
    received = gathered(questions, tallies[0])
    codes: Any = people.codes[present]
    has_truth = not people.answered  # answers to a poll arrive randomized, so the truth is unknown
    compared = [
        compare(estimate, codes, people.values) if has_truth else limits(estimate, ())
        for question, counts in zip(questions, received, strict=True)
        for estimate in estimates(question, counts, people.schema.names)
    ]
    # then the last estimate has the joint shares of all features
    several = len(compared) > len(people.schema.names)
    read = [
        sum(counts.values()) // question.randomizer.messages_per_person
        for question, counts in zip(questions, received, strict=True)
    ]
    counted = read, local.relied_on
    untested_measures = [
        measures(question, counts) for question, counts in zip(questions, received, strict=True)
    ]
    values = [
        searched(question, counts) for question, counts in zip(questions, received, strict=True)
    ]
    different = sum(len(counts) for counts in tallies[0])
    features = tuple(compared[:-1] if several else compared)
    return Randomized(
        local.mechanism,
        rule(local, len(people.schema.names)),
        budget_of(local, len(people.schema.names)),
        features,
        compared[-1] if several else None,
        worst(features),
        read_privacy(questions, codes, *counted)
        if has_truth
        else unseen_privacy(questions, [feature.projected for feature in features], *counted),
        different if different > MAX_LISTED else 0,
        tuple(against(measured, codes) for measured in untested_measures if measured),
        tuple(found_against(each, codes) for each in values if each),
    )


def budget_of(local: Local, features: int) -> ReportBudget:
    """Return the epsilons of a person's answers to this number of features."""
    epsilon = local.epsilon or 0.0
    mixed = mechanisms()[local.mechanism].split
    return ReportBudget(epsilon, feature_budget(local, features), mixed=mixed)


def estimates(
    question: Question, counts: Counts, names: Sequence[str]
) -> Iterator[UntestedEstimate]:
    """Analyst: yield the estimated shares from the reports to a question, if any are readable.

    counts: the counts of the reports. names: the names of the features.
    """
    symbol_tally = tally(question.randomizer, question.domain, counts)
    if not symbol_tally.people or not question.randomizer.gives_shares:
        return
    if question.randomizer.takes_rows:
        yield from _features(question, symbol_tally, names)
        return
    if not question.randomizer.takes_bits:
        estimate = question.randomizer.estimate_tally(symbol_tally.supporting, symbol_tally.people)
        yield UntestedEstimate(
            question.name,
            question.columns,
            question.domain,
            symbol_tally.people,
            symbol_tally.outside,
            estimate,
        )
        return
    for position, domain in enumerate(question.values):
        bits = _bit(
            question.randomizer, int(symbol_tally.supporting[position]), symbol_tally.people
        )
        columns = (question.columns[position],)
        yield UntestedEstimate(
            names[columns[0]], columns, domain, symbol_tally.people, symbol_tally.outside, bits
        )
    if 2 <= len(question.columns) <= JOINT:
        yield _joint(question, counts, symbol_tally.people, symbol_tally.outside, names)


def _features(
    question: Question, symbol_tally: SymbolTally, names: Sequence[str]
) -> Iterator[UntestedEstimate]:
    """Yield the estimated shares of each feature, if each person reports one drawn feature.

    A person draws the feature at random. symbol_tally: the counts of reports, by feature and value.
    The estimates are not yet compared with the true shares. names: the names of all columns.
    """
    every = question.randomizer.estimate_features(symbol_tally.supporting, symbol_tally.people)
    for column, domain, estimate in zip(question.columns, question.values, every, strict=True):
        yield UntestedEstimate(
            names[column], (column,), domain, symbol_tally.people, symbol_tally.outside, estimate
        )


def _bit(flip: BitFlip, positives: int, people: int) -> Estimate:
    """Return the estimated shares of a flipped bit, as randomized response on two values.

    positives: the number of reports with a 1.
    """
    return flip.single().estimate_tally(np.array([people - positives, positives]), people)


def _joint(
    question: Question, counts: Counts, people: int, outside: int, names: Sequence[str]
) -> UntestedEstimate:
    """Return the estimated shares of all combinations of the bits of a report.

    people: the number of readable reports. outside: the number of unreadable texts. counts: how
    often each text was received. names: the names of all columns.
    """
    bits = len(question.columns)
    cells = 1 << bits
    written = [format(number, f"0{bits}b") for number in range(cells)]
    report_codes = np.repeat(np.arange(cells), [counts.get((text,), 0) for text in written])
    values = tuple(
        " ".join(domain[int(bit)] for domain, bit in zip(question.values, text, strict=True))
        for text in written
    )
    feature = " x ".join(names[column] for column in question.columns)
    estimate = question.randomizer.estimate_joint(report_codes)
    return UntestedEstimate(feature, question.columns, values, people, outside, estimate)
