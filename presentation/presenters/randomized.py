"""Presenters of programs in which people randomize their answers: estimates and privacy parameters.

The unbiased estimate is shown first, unchanged: a share below 0 is not an error. The nearest
distribution (shares within 0 to 1) is biased, and its column says so. Each epsilon is printed with
its definition.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...number_text import give_or_take, percent, plural
from ...scenarios.programs.randomized.score import Randomized
from ...scenarios.schema.mechanisms import mechanisms
from ..blocks import EXPOSED, RELEASED, Block, VerdictAnswer
from ..text_blocks import Line, Score
from ..wording import noun_of
from .noise_scores import (
    error_rows,
    is_of_bits,
    is_of_one_feature,
    largest_standard_error,
    privacy_rows,
)
from .noise_tables import (
    error_meaning,
    estimated,
    found_grid,
    found_promise,
    number_grid,
    share_grid,
)
from .presenter import OneRoundPresenter

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...protocol.wire.announcement import AnnouncedPolicy
    from ...scenarios.populations import Population
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.programs.randomized.share_estimates import Estimated
    from ...scenarios.schema.model import Policy, Scenario
    from ..blocks import Section

NAMED = 5  # largest number of values listed in the sentence on limits at an end of the range
# largest number of printed values of a feature; if it has more, those with the largest estimates
VALUES = 12
# largest number of printed rows of a feature, in the tables of found values and of numbers
ROWS = 24
FINDING = (
    "The analyst extends the prefixes that enough reports support, byte by byte, and publishes the "
    "reports; the values found have estimates with standard errors. Nothing else is released."
)
COUNTING = (
    "The analyst counts and publishes the reports; shares are estimated from the counts, with "
    "standard errors. Nothing else is released."
)


class NoisePresenter(OneRoundPresenter):
    """The texts on a program with one round of randomized reports."""

    reads = "reports"

    def stage_rule(self, policy: "Policy", language: "Language") -> str:  # noqa: ARG002
        """Return the caption that reports have noise, and that no party decides on columns."""
        return language.say("says-rule-noise")

    def stage_announcement(self, policy: "AnnouncedPolicy", language: "Language") -> str:  # noqa: ARG002
        """Return the clause that users add noise to their answers."""
        return language.say("says-noise")


class HistogramPresenter(NoisePresenter):
    """The texts on the program `histogram`: estimated shares of values, from noisy reports."""

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each.

        answering, mixing: the sentences on users and on shufflers, which all programs share.
        """
        local, mechanism = scenario.local, mechanisms()[scenario.local.mechanism]
        randomizing = (
            f"Everybody randomizes what it will say, by {local.mechanism}, with "
            f"epsilon = {local.epsilon:g} nats for its whole answer, divided evenly over the "
            "features."
        )
        if local.features == "sample" and len(scenario.feature) != 1:
            randomizing = (
                f"Everybody draws one of its features and randomizes that, by {local.mechanism}, "
                f"with the whole epsilon = {local.epsilon:g} nats."
            )
            answering = answering.replace("one per feature", "about the feature it drew")
        if mechanism.split:
            randomizing = (
                "Everybody adds its part of the noise to its number and splits the sum into "
                "shares, of which only all together mean anything; "
                f"epsilon = {local.epsilon:g} nats after the mix."
            )
            answering = answering.replace("one per feature", "a share of its number each")
        if mechanism.bits:
            answering = answering.replace("one per feature", "about all features")
        return [randomizing, answering, mixing, FINDING if mechanism.finds else COUNTING]

    def advice(self, scenario: "Scenario", people: "Population") -> Iterator[str]:
        """Yield the expected precision of the estimates, and noise mechanisms by error."""
        from .limit_forecast import foreseen
        from .mechanism_advice import advice

        yield from foreseen(scenario, people)
        yield from advice(scenario, people)

    def promise(self, scenario: "Scenario") -> str:
        """Return the privacy guarantee: odds of two answers change by at most e^epsilon."""
        epsilon = scenario.local.epsilon
        if mechanisms()[scenario.local.mechanism].split:
            return (
                f"epsilon = {epsilon:g} nats at delta = 1e-6, after the mix and by it alone: while "
                f"{scenario.mix.min_batch:,} people take part and a shuffler is honest, what is "
                f"read changes the odds of any two answers of a person by a factor e^{epsilon:g} "
                "at most"
            )
        return (
            f"local epsilon = {epsilon:g} nats: a person's reports, even with its name on "
            f"them, change the odds of any two answers by a factor e^{epsilon:g} at most"
        )

    def summary(self, outcome: Any) -> Iterator[Block]:
        """Yield the number of reports, and the tables of estimates."""
        local: Randomized | None = outcome.findings
        if local is None:
            yield from burned_round(outcome)
            return
        features = local.features or local.measured or local.found
        counted = sum(feature.reports + feature.outside for feature in features)
        if is_of_bits(local) or is_of_one_feature(local):
            counted //= len(local.domains)
        noun = noun_of(outcome.scenario.mix.kind, outcome.mode)
        reports = plural(counted, "split answer" if local.budget.mixed else noun)
        yield Line(f"  round 1  {reports} -> analyst   people randomize: {local.rule}")
        yield Line()
        if local.measured:
            yield number_grid(local.measured, ROWS)
            yield Line(f" {error_meaning(local.mechanism)}", "dim")
            for feature in local.measured:
                if names := [number.name for number in feature.measures if number.nearest]:
                    yield Line(f" {feature.feature}: {_nearest(names)}")
        if local.found:
            yield found_grid(local.found, ROWS)
            yield Line(" values near to the least share are found by luck, and then overestimated")
        if local.budget.mixed:
            yield Line(
                " the messages of one person together are its number: only the mix parts them"
            )
        if estimates := estimated(local):
            yield from _shares(local, estimates)
        if local.omitted:
            storage_note = "in the transcript only" if outcome.mode == "real" else "not kept"
            yield Line(f" {local.omitted:,} different reports: too many to list, {storage_note}")
        yield Line()

    def scores(self, outcome: Any) -> Iterator[Score]:
        """Yield score rows: errors of the estimates, and privacy parameters."""
        if outcome.findings:
            yield from error_rows(outcome.findings)
            yield from privacy_rows(outcome.findings)

    def remark(self) -> str:
        """Return the remark that a linked report is not a value, as it has noise."""
        return (
            "a report pinned on a person is not a value: it says something about it, nothing for "
            "certain"
        )

    def answers(self, result: "Claims") -> tuple[VerdictAnswer, ...]:
        """Return answers for the head of a page: the estimates, and a person's privacy loss."""
        findings = result.findings
        if not isinstance(findings, Randomized):
            why = result.burned or "no report was counted"
            return (
                VerdictAnswer(RELEASED, "nothing", f"Nothing was released: {why}."),
                VerdictAnswer(EXPOSED, "not at all", "No report was counted."),
            )
        privacy, kind = findings.privacy, "local"
        if findings.budget.mixed:
            kind = "after the mix, by it alone"
        text = "One person's reports are randomized before they are sealed. "
        if privacy.information is not None:
            spread = give_or_take(privacy.information_error, 2)
            text += f"Pinned on it, they would tell {privacy.information:.3g}{spread} bits about "
            text += "its values. "
        text += "The mix hides whose report is whose."
        epsilon = f"epsilon {findings.epsilon:g} nats, {kind}"
        return _release_answer(findings), VerdictAnswer(EXPOSED, epsilon, text)

    def section(self, scenario: "Scenario", result: "Claims") -> "Iterator[Section]":
        """Yield the section of a page on noise and precision of the estimates."""
        from .noise_page import section

        if isinstance(result.findings, Randomized):
            yield section(scenario, result.findings)


def burned_round(outcome: Any) -> Iterator[Block]:
    """Yield a line that round 1 was aborted, with the reason."""
    yield Line(f"  round 1  burned: {outcome.burned}", "bold red")
    yield Line()


def _release_answer(findings: Randomized) -> VerdictAnswer:
    """Return the answer to the question on the release: found values, numbers, or shares."""
    source = f"from reports that people randomized themselves ({findings.rule})"
    if findings.found:
        values = "; ".join(
            f"{feature.feature}: "
            f"{', '.join(value.value for value in feature.found[:5]) or 'nothing'} "
            f"({found_promise(feature)})"
            for feature in findings.found
        )
        return VerdictAnswer(RELEASED, "values that many have", f"Found: {values}; {source}.")
    if not findings.features:
        numbers = "; ".join(
            f"{feature.feature}: {number.name} {number.estimate:,.4g} (95 %: {number.low_95:,.4g} "
            f"to {number.high_95:,.4g})"
            for feature in findings.measured
            for number in feature.measures[:2]
        )
        return VerdictAnswer(RELEASED, "estimates", f"{numbers}; {source}.")
    shares = sum(len(feature.values) for feature in findings.features)
    names = ", ".join(feature.feature for feature in findings.features)
    error = f"The largest error is {percent(findings.largest_error)} of people."
    if findings.error is None:
        error = (
            f"The largest standard error is {percent(largest_standard_error(findings))} of "
            "people; the true shares are unknown."
        )
    text = f"{plural(shares, 'estimated share')} of {names}, {source}. {error}"
    return VerdictAnswer(RELEASED, "estimates", text)


def _shares(local: Randomized, estimates: "Sequence[Estimated]") -> Iterator[Block]:
    """Yield the table of estimated shares, with notes on its columns."""
    yield share_grid(estimates, VALUES)
    cut = [feature for feature in estimates if len(feature.values) > VALUES]
    if cut:
        names = ", ".join(feature.feature for feature in cut)
        yield Line(f" {names}: the {VALUES} largest; all are in result.json", "dim")
    for feature in estimates:
        if feature.nearest:
            yield Line(f" {feature.feature}: {_nearest(feature.nearest)}")
    fit = mechanisms()[local.mechanism].fit
    yield Line(f" estimate: unbiased, may leave 0 to 100 %; projected: {fit},")
    if local.error is not None:
        yield Line(" biased; truth: among the people who took part, which no analyst knows")
    else:
        yield Line(" biased; the truth is known to nobody: people added noise before they sent")


def _nearest(names: Sequence[str]) -> str:
    """Return a sentence on estimates with both 95 % limits at one end of the range.

    That happens if the reports are improbable (below 2.5 %) under every true value. names: the
    values with such an estimate.
    """
    name_list = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    return (
        f"limits at the nearest end, as no truth makes such reports probable (2.5 %): {name_list}"
    )
