"""Noise against benefit: what a run with more or less noise would have given, and cost.

For the mechanism of a scenario, its people and their true shares (the estimated ones, where nobody
knows the true ones), at several epsilons:

    error      the exact standard error of an estimated share (root of the mean variance)
    S_mu       average privacy (paper 002, Definition 4.1): the part of a value that a report hides

Both are of one feature, the mean over all of them. epsilon is a person's whole local budget, nats;
what all reports with kept noise cost grows with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from msgspec.structs import replace

from ...schema.model import Scenario
from .privacy import average_privacy_of, entries_of
from .questions import questions

FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)  # of the scenario's epsilon
ENTRIES = 1 << 20  # of matrices that are read, about 3 s; no further reading is begun after so many


@dataclass(frozen=True, slots=True)
class Trade:
    """One amount of noise.

    Attributes:
        epsilon: local, in nats.
        error: in shares of people.
        hidden: S_mu, None where it was left out.
    """

    epsilon: float
    error: float
    hidden: float | None


def trades(scenario: Scenario, local: Mapping[str, Any]) -> tuple[Trade, ...]:
    """Work out the trade at several epsilons. local: that of result.json."""
    features = local["features"]
    epsilon = scenario.local.epsilon
    if not epsilon or not features:
        return ()
    spent, offers = 0, []
    for factor in sorted(FACTORS, key=lambda times: abs(times - 1)):  # the run's own first
        at = epsilon * factor
        forever = (
            scenario.local.forever and scenario.local.forever * factor
        )  # what all reports cost
        changed = replace(scenario, local=replace(scenario.local, epsilon=at, forever=forever))
        made = _randomizers(changed, features)
        variances = _variances(made, features)
        hidden = [None] if spent > ENTRIES or made[0].takes_rows else _hidden(made)
        spent += sum(map(entries_of, dict.fromkeys(made)))
        known = [privacy for privacy in hidden if privacy is not None]
        mean = sum(known) / len(known) if len(known) == len(hidden) else None
        offers.append(Trade(at, sqrt(sum(variances) / len(variances)), mean))
    return tuple(sorted(offers, key=lambda trade: trade.epsilon))


def _variances(made: Sequence[Any], features: Sequence[Mapping[str, Any]]) -> list[float]:
    """The mean variance of a share of each feature."""
    people = [max(1, feature["reports"]) for feature in features]
    likely = [_likely(feature) for feature in features]
    if made[0].takes_rows:  # one report a person, about any feature
        return [float(own.mean()) for own in made[0].variances(likely, people[0])]
    return [
        float(randomizer.variance(shares, many).mean())
        for randomizer, shares, many in zip(made, likely, people, strict=True)
    ]


def _likely(feature: Mapping[str, Any]) -> Sequence[float]:
    """The true shares of a feature; where nobody knows them, the nearest distribution."""
    likely: Sequence[float] = feature["truth"] or feature["projected"]
    return likely


def _hidden(made: Sequence[Any]) -> list[float | None]:
    """S_mu of each; those that are equal are worked out once."""
    known = {randomizer: average_privacy_of(randomizer) for randomizer in dict.fromkeys(made)}
    return [known[randomizer] for randomizer in made]


def _randomizers(scenario: Scenario, features: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The randomizer of each feature; a flipped bit is randomized response on two values."""
    names = [feature["feature"] for feature in features]
    asked = questions(scenario, names, [tuple(feature["values"]) for feature in features])
    each = [question.randomizer.single() for question in asked]
    return each if len(each) == len(features) else each * len(features)
