"""Scores on noisy reports: the errors of the estimates, and the privacy parameters.

The privacy parameters are local epsilon, epsilon after shuffling in two definitions (hockey-stick
and probabilistic), average privacy and leakage in bits.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import give_or_take, percent, plural
from ...scenarios.programs.randomized.score import Randomized
from ...scenarios.schema.mechanisms import Mechanism, mechanisms
from ..text_blocks import Score
from .noise_tables import found_promise, signed

if TYPE_CHECKING:
    from ...scenarios.programs.randomized.privacy import Shuffled

COVERAGE_NOTE = "95 % are expected, at least"
NEIGHBOURS = "neighbours, of every epsilon: one person's answers differ; how many answer is public"


def error_rows(local: Randomized) -> Iterator[Score]:
    """Yield the errors of estimates: of numbers, of values found by search, and of shares."""
    outside = "texts that are no report, left out of the estimates"
    if local.measured:
        every = [number for feature in local.measured for number in feature.measures]
        within = sum(number.is_held for number in every)
        yield "numbers within their interval", f"{within:,} of {len(every):,}", COVERAGE_NOTE
        unread = sum(feature.outside for feature in local.measured if not local.features)
        if unread:
            yield "outside", f"{unread:,}", outside
    for feature in local.found:
        yield f"found, {feature.feature}", f"{len(feature.found)}", found_promise(feature)
        yield (
            "... that nobody has",
            f"{feature.false}",
            f"of {feature.tested:,} texts that were tested",
        )
        if feature.least_share is not None:
            yield "... missed", f"{feature.missed}", "values of so many people that were not found"
        if feature.outside:
            yield "outside", f"{feature.outside:,}", "texts that are no report, left out"
    shares = sum(len(feature.values) for feature in local.features)
    if not shares:
        if not (local.measured or local.found):
            yield "estimates", "-", "no report could be read"
        return
    if local.error is None:
        worst = signed(largest_standard_error(local))
        yield "largest standard error", worst, "of an estimated share, by the noise"
    else:
        worst_in_errors = max(feature.worst_in_errors for feature in local.features)
        within = sum(feature.covered for feature in local.features)
        yield (
            "largest error",
            signed(local.largest_error),
            "of an estimated share against the truth",
        )
        yield "... in standard errors", f"{worst_in_errors:.2f}", "the worst of all shares"
        yield "mean error", signed(local.mean_error), f"over {plural(shares, 'share')}"
        yield "truth within its interval", f"{within:,} of {shares:,}", COVERAGE_NOTE
    if unread := sum(feature.outside for feature in local.features):
        yield "outside", f"{unread:,}", outside


def privacy_rows(local: Randomized) -> Iterator[Score]:
    """Yield every epsilon, the average privacy, and the leakage of a person's reports in bits."""
    yield from _epsilons(local)
    yield from _readings(local)
    privacy = local.privacy
    if privacy.information is None:
        yield "one person's reports tell", "-", "left out: too many different people"
        return
    error = give_or_take(privacy.information_error, 2)
    meaning = "bits about its values (mutual information), were they pinned on it"
    if local.features and local.error is None:
        meaning += "; by the estimated shares"
    yield "one person's reports tell", f"{privacy.information:.3g}{error}", meaning


def _epsilons(local: Randomized) -> Iterator[Score]:
    """Yield scores on epsilon: before mixing, of one feature, and after shuffling.

    Epsilon before mixing is infinite if a person's number is split over several messages: together
    they disclose the number, and only the mix separates them. Another score names the adjacency:
    which data sets count as neighbours.
    """
    if local.budget.mixed:
        whole = "none before mixing: a person's messages together are its number"
        yield "epsilon, local", "infinite", whole
    else:
        whole = "nats; whatever is seen of a person's answers, before any mixing"
        yield "epsilon, local", f"{local.epsilon:g}", whole
    if (domains := len(local.domains)) > 1:
        part = f"nats; 1/{domains} of it"
        if is_of_one_feature(local):
            part = f"nats; a person reports one of {domains}, which it draws"
        unit = "bit" if is_of_bits(local) else "feature"
        yield f"... of one {unit}", f"{local.each:.4g}", part
    yield "adjacency", local.budget.adjacency, NEIGHBOURS
    privacy = local.privacy
    if not privacy.shuffled:
        meaning = "nothing better is known here for such reports; the local one holds all the same"
        yield "epsilon, shuffled", "-", meaning
    for shuffled in privacy.shuffled:
        about = "all reports together"
        if len(privacy.shuffled) > 1:
            about = f"of {shuffled.feature} by itself"
        yield from _shuffled(shuffled, f"{about}, {shuffled.reports:,} reports{_relying(shuffled)}")
    if every := privacy.together:
        scope = f"of all {len(privacy.shuffled)} features together{_relying(every)}"
        yield from _shuffled(every, f"{scope}: {every.rule}")


def _relying(shuffled: "Shuffled") -> str:
    """Return a condition on an epsilon after shuffling: so many people keep their reports secret.

    "" if the epsilon has no such condition.
    """
    people = shuffled.relied_on
    return "" if people is None else f", if {people:,} people tell nobody theirs"


def _shuffled(shuffled: "Shuffled", about: str) -> Iterator[Score]:
    """Yield epsilon after shuffling at a delta, by two definitions: hockey-stick and probabilistic.

    Hockey-stick is the usual (epsilon, delta) differential privacy. Probabilistic: the log ratio is
    at most epsilon except with probability delta. about: the reports concerned, in words.
    """
    at = f"delta = {shuffled.delta:g}"
    value, how = _between(shuffled.hockey_stick_at_least, shuffled.hockey_stick, shuffled.rule)
    yield f"hockey-stick (epsilon, {at})", value, f"nats, {how}, {about}"
    if shuffled.probabilistic is not None:
        low = shuffled.probabilistic_at_least or 0.0
        value, how = _between(low, shuffled.probabilistic, shuffled.rule)
        meaning = f"nats, {how}: except for outcomes this unlikely"
        yield f"probabilistic (epsilon, {at})", value, meaning


def _between(low: float, high: float, rule: str) -> tuple[str, str]:
    """Return an epsilon as text, and how it was computed: exactly, by search, or as a proved bound.

    `searched`: the maximum over neighbouring data sets was found by search, without a proof. low,
    high: the limits of epsilon, which are proved if they differ.
    """
    from ...analysis.shuffled.level import width_in_words

    if low == high:
        return f"{high:.4g}", "exact" if rule.startswith("exact") else "searched"
    return f"{high:.4g}", f"certified, at least {low:.4g}: {width_in_words(low, high)}"


def is_of_bits(local: Randomized) -> bool:
    """Whether a report has one bit for each feature; False for an unknown mechanism."""
    mechanism: Mechanism | None = mechanisms().get(local.mechanism)
    return mechanism is not None and mechanism.bits


def is_of_one_feature(local: Randomized) -> bool:
    """Whether a person reports one feature of several, with the whole epsilon."""
    return len(local.domains) > 1 and local.each == local.epsilon


def _readings(local: Randomized) -> Iterator[Score]:
    """Yield two scores for each feature: average privacy, and the worth of a report for estimates.

    Average privacy is the share of a value that a report leaves hidden. The worth: how many exact
    answers give as much information as 100 reports.
    """
    bits = is_of_bits(local) and len(local.features) > 1
    for reading in local.privacy.readings:
        about = "any one bit" if bits else reading.feature
        hidden = "-" if reading.average_privacy is None else percent(reading.average_privacy)
        why = " (left out: no quick exact value)" if reading.average_privacy is None else ""
        yield f"S_mu, {about}", hidden, f"average privacy: what a report leaves hidden{why}"
        if reading.participation is not None:
            meaning = "100 reports tell as much as so many people without noise"
            yield f"participation, {about}", f"{100 * reading.participation:.3g}", meaning


def largest_standard_error(local: Randomized) -> float:
    """Return the largest standard error of an estimated share, over all features."""
    return max(max(feature.errors) for feature in local.features)
