"""What randomized reports say about the people, how far it is from the truth, and what it costs.

The unbiased estimate comes first: it may be below 0 or above 1. What makes a distribution of it
(`projected`) is biased and called by its name. Intervals are normal, 95 %, and count the noise of
the reports given these people. Every epsilon says which one it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ....analysis.randomizers import BitFlip
from ....analysis.randomizers.estimate import Estimate
from ....protocol.messages import Counts
from ...populations import Population
from ...schema.model import Scenario
from .encoding import tally
from .privacy import Told, read_privacy
from .questions import SHOWN, Question, rule, share

JOINT = 6  # bits whose joint shares are estimated too: 64 of them


@dataclass(frozen=True, slots=True)
class Estimated:
    """Shares of the people with each value, as the reports have it and as it is.

    feature: its name, or names joined by ` x `. reports: those that were read; outside: texts that
    are no report, which are left out. shares: unbiased. errors: standard errors. low, high: 95 %
    limits. projected: the nearest distribution, biased. truth: among the people who took part.
    """

    feature: str
    values: tuple[str, ...]
    reports: int
    outside: int
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    projected: tuple[float, ...]
    truth: tuple[float, ...]

    @property
    def missed(self) -> tuple[float, ...]:
        """How far each estimated share is from the true one, in shares, >= 0."""
        return tuple(abs(a - b) for a, b in zip(self.shares, self.truth, strict=True))

    @property
    def largest_error(self) -> float:
        """The largest of them."""
        return max(self.missed)

    @property
    def mean_error(self) -> float:
        """Their mean."""
        return sum(self.missed) / len(self.missed)

    @property
    def worst_in_errors(self) -> float:
        """The largest distance from the truth, in standard errors (of those above 0)."""
        pairs = zip(self.missed, self.errors, strict=True)
        return max((miss / error for miss, error in pairs if error), default=0.0)

    @property
    def covered(self) -> int:
        """How many true shares lie within their intervals."""
        limits = zip(self.low, self.truth, self.high, strict=True)
        return sum(low <= truth <= high for low, truth, high in limits)


@dataclass(frozen=True, slots=True)
class Randomized:
    """What came of a run of the program `randomized`.

    rule: the noise, as it was announced. epsilon: local, of one person's whole answer; each: of one
    feature or bit; nats. features: estimates, one each; joint: of all together (bit-flip with at
    most 6 features). told: what is known of the privacy of the reports. omitted: different reports,
    where they are too many for the release; 0 where it holds them.
    """

    mechanism: str
    rule: str
    epsilon: float
    each: float
    features: tuple[Estimated, ...]
    joint: Estimated | None
    told: Told
    omitted: int

    @property
    def largest_error(self) -> float:
        """The largest error of any estimated share of a feature."""
        return worst(self.features)["largest"]

    @property
    def mean_error(self) -> float:
        """The mean error over all shares of all features."""
        return worst(self.features)["mean"]

    def plain(self) -> dict[str, Any]:
        """The content of `local` in result.json."""
        return {
            "mechanism": self.mechanism,
            "rule": self.rule,
            "epsilon": {"local": self.epsilon, "each": self.each, "unit": "nats"},
            "features": [plain(one) for one in self.features],
            "joint": plain(self.joint) if self.joint else None,
            "error": worst(self.features),
            "privacy": asdict(self.told)
            | {
                "shuffled": [asdict(one) for one in self.told.shuffled],
                "readings": [asdict(one) for one in self.told.readings],
            },
            "reports_omitted": self.omitted,
        }


def worst(features: Sequence[Estimated]) -> dict[str, float]:
    """The largest and the mean error over all shares of some features."""
    missed = [miss for one in features for miss in one.missed] or [0.0]
    return {"largest": max(missed), "mean": sum(missed) / len(missed)}


def plain(one: Estimated) -> dict[str, Any]:
    """An estimate as result.json writes it: the raw one first, what was made of it by name."""
    return {
        "feature": one.feature,
        "reports": one.reports,
        "outside": one.outside,
        "values": list(one.values),
        "unbiased": list(one.shares),
        "standard_error": list(one.errors),
        "low_95": list(one.low),
        "high_95": list(one.high),
        "projected": list(one.projected),
        "truth": list(one.truth),
        "error": {
            "largest": one.largest_error,
            "mean": one.mean_error,
            "largest_in_standard_errors": one.worst_in_errors,
            "intervals_that_hold_the_truth": one.covered,
        },
    }


@dataclass(frozen=True, slots=True)
class Read:
    """An estimate before anybody compares it with the truth."""

    feature: str
    columns: tuple[int, ...]
    values: tuple[str, ...]
    reports: int
    outside: int
    estimate: Estimate


def score(
    scenario: Scenario,
    people: Population,
    questions: Sequence[Question],
    present: Any,
    tallies: Sequence[Sequence[Counts]],
) -> Randomized | None:
    """Score a run; None in another program, or if the reports were not counted.

    present: indices of the people who took part. tallies: the counts that the analyst read.
    """
    if not questions or not tallies:
        return None
    codes: Any = people.codes[present]
    found = [
        compare(one, codes, people.values)
        for question, counts in zip(questions, tallies[0], strict=True)
        for one in estimates(question, counts, people.schema.names)
    ]
    several = len(found) > len(people.schema.names)  # the last one is of all bits together
    epsilon = scenario.local.epsilon or 0.0
    read = [sum(counts.values()) for counts in tallies[0]]
    different = sum(len(counts) for counts in tallies[0])
    return Randomized(
        scenario.local.mechanism,
        rule(scenario, len(people.schema.names)),
        epsilon,
        share(epsilon, len(people.schema.names)),
        tuple(found[:-1] if several else found),
        found[-1] if several else None,
        read_privacy(questions, codes, read),
        different if different > SHOWN else 0,
    )


def estimates(question: Question, counts: Counts, names: Sequence[str]) -> Iterator[Read]:
    """Analyst: what the reports to one question say. Nothing where no report could be read."""
    seen = tally(question.randomizer, question.domain, counts)
    if not seen.people:
        return
    if not question.randomizer.takes_bits:
        found = question.randomizer.estimate_tally(seen.supporting, seen.people)
        yield Read(
            question.name, question.columns, question.domain, seen.people, seen.outside, found
        )
        return
    for position, domain in enumerate(question.values):
        found = _bit(question.randomizer, int(seen.supporting[position]), seen.people)
        columns = (question.columns[position],)
        yield Read(names[columns[0]], columns, domain, seen.people, seen.outside, found)
    if 2 <= len(question.columns) <= JOINT:
        yield _joint(question, counts, seen.people, seen.outside, names)


def _bit(flip: BitFlip, ones: int, people: int) -> Estimate:
    """One flipped bit is generalised randomized response on two symbols."""
    return flip.single().estimate_tally(np.array([people - ones, ones]), people)


def _joint(
    question: Question, counts: Counts, people: int, outside: int, names: Sequence[str]
) -> Read:
    """All bits of the reports together."""
    bits = len(question.columns)
    cells = 1 << bits
    written = [format(number, f"0{bits}b") for number in range(cells)]
    seen = np.repeat(np.arange(cells), [counts.get((text,), 0) for text in written])
    values = tuple(
        " ".join(domain[int(bit)] for domain, bit in zip(question.values, text, strict=True))
        for text in written
    )
    feature = " x ".join(names[column] for column in question.columns)
    found = question.randomizer.estimate_joint(seen)
    return Read(feature, question.columns, values, people, outside, found)


def compare(one: Read, codes: Any, values: Sequence[tuple[str, ...]]) -> Estimated:
    """Hold an estimate against the people who took part. codes: theirs, n x d."""
    sizes = tuple(len(values[column]) for column in one.columns)
    cells = np.ravel_multi_index(tuple(codes[:, list(one.columns)].T), sizes)
    truth: Any = np.bincount(cells, minlength=len(one.values)) / max(1, len(codes))
    return limits(one, tuple(truth.tolist()))


def limits(one: Read, truth: tuple[float, ...]) -> Estimated:
    """Add the 95 % limits to an estimate, the nearest distribution, and what is true."""
    low, high = one.estimate.interval()
    return Estimated(
        one.feature,
        one.values,
        one.reports,
        one.outside,
        shares=tuple(one.estimate.shares.tolist()),
        errors=tuple(one.estimate.errors.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        projected=tuple(one.estimate.projected().tolist()),
        truth=truth,
    )
