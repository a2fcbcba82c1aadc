"""The report of a run with randomized answers: estimates, errors, every epsilon.

The unbiased estimate comes first, as it is: a share below 0 is not an error. The nearest
distribution is biased, and its column says so. Every epsilon is printed with its kind.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....presentation.wording import Block, Grid, Line, give_or_take, noun_of, percent, plural
from ...schema.mechanisms import mechanisms
from .numeric_estimates import error_meaning, grid
from .open_domain_values import grid as grid_of_found
from .open_domain_values import promised

if TYPE_CHECKING:
    from ...schema.model import Scenario
    from .privacy import Shuffled
    from .score import Randomized
    from .share_estimates import Estimated

COVERAGE_NOTE = "95 % are expected, at least"
NAMED = 5  # values whose limits are at the nearest end
VALUES = 12  # of a feature, listed one by one; of more the most frequent
NOTE = "a report pinned on a person is not a value: it says something about it, nothing for certain"

Score = tuple[str, str, str]

NEIGHBOURS = "neighbours, of every epsilon: one person's answers differ; how many answer is public"


def summary(outcome: Any) -> Iterator[Block]:
    """Yield the number of reports, and the estimates."""
    local = outcome.findings
    if local is None:
        yield Line(f"  round 1  burned: {outcome.burned}", "bold red")
        yield Line()
        return
    counted = sum(
        feature.reports + feature.outside
        for feature in local.features or local.measured or local.found
    )
    if _is_of_bits(local) or is_of_one_feature(local):
        counted //= len(local.domains)
    noun = noun_of(outcome.scenario.mix.kind, outcome.mode)
    noun = "split answer" if local.budget.mixed else noun
    yield Line(f"  round 1  {plural(counted, noun)} -> analyst   people randomize: {local.rule}")
    yield Line()
    estimates = [*local.features, *([local.joint] if local.joint else [])]
    if local.measured:
        yield grid(local.measured)
        yield Line(f" {error_meaning(local.mechanism)}", "dim")
        for feature in local.measured:
            if names := [number.name for number in feature.measures if number.nearest]:
                yield Line(f" {feature.feature}: {nearest(names)}")
    if local.found:
        yield grid_of_found(local.found)
        yield Line(" values near to the least share are found by luck, and then overestimated")
    if local.budget.mixed:
        yield Line(" the messages of one person together are its number: only the mix parts them")
    if estimates:
        yield from _shares(local, estimates)
    if local.omitted:
        storage_note = "in the transcript only" if outcome.mode == "real" else "not kept"
        yield Line(f" {local.omitted:,} different reports: too many to list, {storage_note}")
    yield Line()


def _shares(local: "Randomized", estimates: "Sequence[Estimated]") -> Iterator[Block]:
    fit = mechanisms()[local.mechanism].fit
    rows = [row for feature in estimates for row in _rows(feature)]
    headings = (
        "feature",
        "value",
        "estimate",
        "95 % from",
        "to",
        "projected",
        "truth",
    )
    has_truth = local.error is not None
    column_count = len(headings) - (not has_truth)
    yield Grid(
        headings[:column_count], [row[:column_count] for row in rows], tuple(range(2, column_count))
    )
    cut = [feature for feature in estimates if len(feature.values) > VALUES]
    if cut:
        names = ", ".join(feature.feature for feature in cut)
        yield Line(f" {names}: the {VALUES} largest; all are in result.json", "dim")
    for feature in estimates:
        if feature.nearest:
            yield Line(f" {feature.feature}: {nearest(feature.nearest)}")
    yield Line(f" estimate: unbiased, may leave 0 to 100 %; projected: {fit},")
    if has_truth:
        yield Line(" biased; truth: among the people who took part, which no analyst knows")
    else:
        yield Line(" biased; the truth is known to nobody: people added noise before they sent")


def nearest(names: Sequence[str]) -> str:
    """Return a sentence on limits at an end of the range: no truth makes the reports probable."""
    name_list = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    return (
        f"limits at the nearest end, as no truth makes such reports probable (2.5 %): {name_list}"
    )


def _rows(feature: "Estimated") -> Iterator[tuple[str, ...]]:
    order = range(len(feature.values))
    if len(feature.values) > VALUES:
        order = sorted(order, key=lambda place: -feature.shares[place])[:VALUES]  # type: ignore[assignment]
    for number, place in enumerate(order):
        yield (
            feature.feature if number == 0 else "",
            feature.values[place],
            *(
                signed(column[place])
                for column in (
                    feature.shares,
                    feature.low,
                    feature.high,
                    feature.projected,
                    *([feature.truth] if feature.truth else []),
                )
            ),
        )


def signed(share: float) -> str:
    """Return a share that may be below 0 or above 1 as text."""
    return f"{100 * share:.1f} %"


def scores(local: "Randomized") -> Iterator[Score]:
    """Yield score rows: errors of the estimates, and privacy parameters."""
    yield from _errors(local)
    yield from _epsilons(local)
    yield from _readings(local)
    privacy = local.privacy
    if privacy.information is None:
        yield "one person's reports tell", "-", "left out: too many different people"
    else:
        error = give_or_take(privacy.information_error, 2)
        meaning = "bits about its values (mutual information), were they pinned on it"
        if local.features and local.error is None:
            meaning += "; by the estimated shares"
        yield "one person's reports tell", f"{privacy.information:.3g}{error}", meaning


def _errors(local: "Randomized") -> Iterator[Score]:
    shares = sum(len(feature.values) for feature in local.features)
    if local.measured:
        yield from _numbers(local)
    yield from _value_scores(local)
    if not shares and (local.measured or local.found):
        return
    if not shares:
        yield "estimates", "-", "no report could be read"
        return
    if local.error is None:
        max_error = max(max(feature.errors) for feature in local.features)
        yield "largest standard error", signed(max_error), "of an estimated share, by the noise"
        yield from _outside(local)
        return
    worst = max(feature.worst_in_errors for feature in local.features)
    within = sum(feature.covered for feature in local.features)
    yield "largest error", signed(local.largest_error), "of an estimated share against the truth"
    yield (
        "... in standard errors",
        f"{worst:.2f}",
        "the worst of all shares",
    )
    yield "mean error", signed(local.mean_error), f"over {plural(shares, 'share')}"
    yield "truth within its interval", f"{within:,} of {shares:,}", COVERAGE_NOTE
    yield from _outside(local)


def _outside(local: "Randomized") -> Iterator[Score]:
    if outside := sum(feature.outside for feature in local.features):
        yield "outside", f"{outside:,}", "texts that are no report, left out of the estimates"


def _value_scores(local: "Randomized") -> Iterator[Score]:
    for feature in local.found:
        yield f"found, {feature.feature}", f"{len(feature.found)}", promised(feature)
        yield (
            "... that nobody has",
            f"{feature.false}",
            f"of {feature.tested:,} texts that were tested",
        )
        if feature.least_share is not None:
            yield "... missed", f"{feature.missed}", "values of so many people that were not found"
        if feature.outside:
            yield "outside", f"{feature.outside:,}", "texts that are no report, left out"


def _numbers(local: "Randomized") -> Iterator[Score]:
    every = [number for feature in local.measured for number in feature.measures]
    within = sum(number.is_held for number in every)
    yield "numbers within their interval", f"{within:,} of {len(every):,}", COVERAGE_NOTE
    if outside := sum(feature.outside for feature in local.measured if not local.features):
        yield "outside", f"{outside:,}", "texts that are no report, left out of the estimates"


def _epsilons(local: "Randomized") -> Iterator[Score]:
    if local.budget.mixed:
        whole = "none before mixing: a person's messages together are its number"
        yield "epsilon, local", "infinite", whole
    else:
        whole = "nats; whatever is seen of a person's answers, before any mixing"
        yield "epsilon, local", f"{local.epsilon:g}", whole
    several = len(local.domains) > 1
    if several:
        unit = "bit" if _is_of_bits(local) else "feature"
        part = f"nats; 1/{len(local.domains)} of it"
        if is_of_one_feature(local):
            part = f"nats; a person reports one of {len(local.domains)}, which it draws"
        yield f"... of one {unit}", f"{local.each:.4g}", part
    yield "adjacency", local.budget.adjacency, NEIGHBOURS
    if not local.privacy.shuffled:
        meaning = "nothing better is known here for such reports; the local one holds all the same"
        yield "epsilon, shuffled", "-", meaning
    for shuffled in local.privacy.shuffled:
        is_separate = len(local.privacy.shuffled) > 1
        about = f"of {shuffled.feature} by itself" if is_separate else "all reports together"
        counted = f"{shuffled.reports:,} reports{relying(shuffled.relied_on)}"
        yield from _shuffled(shuffled, f"{about}, {counted}")
    if local.privacy.together:
        scope = f"of all {len(local.privacy.shuffled)} features together"
        scope += relying(local.privacy.together.relied_on)
        yield from _shuffled(local.privacy.together, f"{scope}: {local.privacy.together.rule}")


def relying(people: int | None) -> str:
    """Return a clause on the people for whom an epsilon holds; "" for all senders."""
    return "" if people is None else f", if {people:,} people tell nobody theirs"


def _shuffled(shuffled: "Shuffled", about: str) -> Iterator[Score]:
    at = f"delta = {shuffled.delta:g}"
    value, how = _between(shuffled.hockey_stick_at_least, shuffled.hockey_stick, shuffled.rule)
    yield f"hockey-stick (epsilon, {at})", value, f"nats, {how}, {about}"
    if shuffled.probabilistic is not None:
        value, how = _between(
            shuffled.probabilistic_at_least or 0.0, shuffled.probabilistic, shuffled.rule
        )
        yield (
            f"probabilistic (epsilon, {at})",
            value,
            f"nats, {how}: except for outcomes this unlikely",
        )


def _between(low: float, high: float, rule: str) -> tuple[str, str]:
    """Return a number as text, and the kind of its error."""
    from ....analysis.shuffled.level import width_in_words

    if low == high:
        return f"{high:.4g}", "exact" if rule.startswith("exact") else "searched"
    return f"{high:.4g}", f"certified, at least {low:.4g}: {width_in_words(low, high)}"


def _is_of_bits(local: "Randomized") -> bool:
    """Whether a report is about all features, a bit each; False for an unknown mechanism."""
    mechanism = mechanisms().get(local.mechanism)
    return mechanism is not None and mechanism.bits


def is_of_one_feature(local: "Randomized") -> bool:
    """Whether a person reports one feature of several, with the whole epsilon."""
    return len(local.domains) > 1 and local.each == local.epsilon


def _readings(local: "Randomized") -> Iterator[Score]:
    bits = _is_of_bits(local) and len(local.features) > 1
    for reading in local.privacy.readings:
        about = "any one bit" if bits else reading.feature
        hidden = "-" if reading.average_privacy is None else percent(reading.average_privacy)
        why = " (left out: no quick exact value)" if reading.average_privacy is None else ""
        yield f"S_mu, {about}", hidden, f"average privacy: what a report leaves hidden{why}"
        if reading.participation is not None:
            meaning = "100 reports tell as much as so many people without noise"
            yield f"participation, {about}", f"{100 * reading.participation:.3g}", meaning


FINDING = (
    "The analyst extends the prefixes that enough reports support, byte by byte, and publishes the "
    "reports; the values found have estimates with standard errors. Nothing else is released."
)
COUNTING = (
    "The analyst counts and publishes the reports; shares are estimated from the counts, with "
    "standard errors. Nothing else is released."
)


def steps(scenario: "Scenario", answering: str) -> tuple[str, str]:
    """Return two sentences: the users' randomization, and their submission."""
    local = scenario.local
    randomizing = (
        f"Everybody randomizes what it will say, by {local.mechanism}, with "
        f"epsilon = {local.epsilon:g} nats for its whole answer, divided evenly over the features."
    )
    if local.features == "sample" and len(scenario.feature) != 1:
        randomizing = (
            f"Everybody draws one of its features and randomizes that, by {local.mechanism}, with "
            f"the whole epsilon = {local.epsilon:g} nats."
        )
        answering = answering.replace("one per feature", "about the feature it drew")
    if mechanisms()[local.mechanism].split:
        randomizing = (
            "Everybody adds its part of the noise to its number and splits the sum into shares, "
            "of which only all together mean anything; "
            f"epsilon = {local.epsilon:g} nats after the mix."
        )
        answering = answering.replace("one per feature", "a share of its number each")
    if mechanisms()[local.mechanism].bits:
        answering = answering.replace("one per feature", "about all features")
    return randomizing, answering


def counting(scenario: "Scenario") -> str:
    """Return the sentence on the analyst's work."""
    return FINDING if mechanisms()[scenario.local.mechanism].finds else COUNTING


def promise(scenario: "Scenario") -> str:
    """Return the promise to people, in words."""
    epsilon = scenario.local.epsilon
    if mechanisms()[scenario.local.mechanism].split:
        return (
            f"epsilon = {epsilon:g} nats at delta = 1e-6, after the mix and by it alone: while "
            f"{scenario.mix.min_batch:,} people take part and a shuffler is honest, what is read "
            f"changes the odds of any two answers of a person by a factor e^{epsilon:g} at most"
        )
    return (
        f"local epsilon = {epsilon:g} nats: a person's reports, even with its name on "
        f"them, change the odds of any two answers by a factor e^{epsilon:g} at most"
    )
