"""Error and privacy of a run at other epsilons than that of its scenario.

For the mechanism of a scenario, its people and their true shares (estimated shares if the true
shares are unknown), at several epsilons:

    error      the exact standard error of an estimated share (root of the mean variance)
    S_mu       average privacy (paper 002, Definition 4.1): the share of the information about a
               value that a report hides

Both are means over all features. epsilon is a person's whole local budget in nats. The epsilon of
all reports with noise kept from run to run is multiplied by the same factor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from msgspec.structs import replace

from ...schema.model import Scenario
from ..noisy_questions import questions
from .privacy import average_privacy_of, entries_of

FACTORS = (
    0.25,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    3.0,
    4.0,
)  # factors of the scenario's epsilon that are tried
# limit of the entries of matrices, about 3 s of work; above it average privacy is not computed
ENTRIES = 1 << 20


@dataclass(frozen=True, slots=True)
class Trade:
    """Error and privacy of the reports of a run at one epsilon.

    Attributes:
        epsilon: a person's local budget, in nats.
        error: the standard error of an estimated share of people.
        hidden: average privacy S_mu: the share, 0 to 1, of the information about a value that a
            report hides (paper 002, Definition 4.1); None if it was not computed.
    """

    epsilon: float
    error: float
    hidden: float | None


def trades(scenario: Scenario, local: Mapping[str, Any]) -> tuple[Trade, ...]:
    """Return the error and the average privacy that a run would have at several epsilons.

    The epsilons are fixed multiples of the scenario's epsilon. () without an epsilon, or without
    estimated features. local: the findings of the release program `histogram` as plain data, as in
    result.json.
    """
    features = local["features"]
    epsilon = scenario.local.epsilon
    if not epsilon or not features:
        return ()
    spent, offers = 0, []
    # the run's own epsilon comes first, so that the limit of work does not omit it
    for factor in sorted(FACTORS, key=lambda times: abs(times - 1)):
        at = epsilon * factor
        forever = (
            scenario.local.forever and scenario.local.forever * factor
        )  # epsilon of all reports of a person, if noise is kept from run to run
        changed = replace(scenario, local=replace(scenario.local, epsilon=at, forever=forever))
        randomizers = _randomizers(changed, features)
        variances = _variances(randomizers, features)
        hidden = [None] if spent > ENTRIES or randomizers[0].takes_rows else _hidden(randomizers)
        spent += sum(map(entries_of, dict.fromkeys(randomizers)))
        privacies = [privacy for privacy in hidden if privacy is not None]
        mean = sum(privacies) / len(privacies) if len(privacies) == len(hidden) else None
        offers.append(Trade(at, sqrt(sum(variances) / len(variances)), mean))
    return tuple(sorted(offers, key=lambda trade: trade.epsilon))


def _variances(randomizers: Sequence[Any], features: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return, for each feature, the mean variance of its estimated shares.

    randomizers: one for each feature. features: the estimates of each feature, as in result.json.
    """
    people = [max(1, feature["reports"]) for feature in features]
    likely = [_likely(feature) for feature in features]
    # each person reports one feature, drawn at random: one call gives the variances of all features
    if randomizers[0].takes_rows:
        return [
            float(feature_variances.mean())
            for feature_variances in randomizers[0].variances(likely, people[0])
        ]
    return [
        float(randomizer.variance(shares, report_count).mean())
        for randomizer, shares, report_count in zip(randomizers, likely, people, strict=True)
    ]


def _likely(feature: Mapping[str, Any]) -> Sequence[float]:
    """Return the probable shares of a feature's values: the true shares, if they are known.

    If they are unknown: the distribution nearest to the estimated shares. feature: the estimates of
    the feature, as in result.json.
    """
    likely: Sequence[float] = feature["truth"] or feature["projected"]
    return likely


def _hidden(randomizers: Sequence[Any]) -> list[float | None]:
    """Return the average privacy S_mu of each randomizer; equal randomizers are computed once.

    S_mu is the share, 0 to 1, of the information about a person's value that a report hides.
    """
    privacies = {
        randomizer: average_privacy_of(randomizer) for randomizer in dict.fromkeys(randomizers)
    }
    return [privacies[randomizer] for randomizer in randomizers]


def _randomizers(scenario: Scenario, features: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the randomizer of each feature. features: their estimates, as in result.json.

    If a report has a flipped bit for each feature, it is the randomizer of a single bit.
    """
    names = [feature["feature"] for feature in features]
    noisy_questions = questions(scenario, names, [tuple(feature["values"]) for feature in features])
    each = [question.randomizer.single() for question in noisy_questions]
    return each if len(each) == len(features) else each * len(features)
