"""The presenter of the program `local-suppression`: rare values are suppressed row by row."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..text_blocks import Score
from .presenter import COUNTING, Presenter, exposure_promise, last_round_sentence

if TYPE_CHECKING:
    from ...languages.language import Language
    from ...protocol.wire.messages import Call
    from ...scenarios.schema.model import Policy, Scenario

BLANKS = (
    "Values that fewer than {k} people have, and others if more can be said that way, are left "
    "blank by everybody who has one; where these are fewer than {k}, other people leave a blank "
    "too, at random."
)


class SuppressionPresenter(Presenter):
    """The texts on the program that suppresses rare values in people's rows.

    If too few people have a rare value, other people suppress a frequent value at random (a cover).
    So a suppressed value does not disclose that its person has a rare value.
    """

    stage_key = "says-rule-suppressed"

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each.

        answering, mixing: the sentences on users and on shufflers, which most programs share.
        """
        decides = f"{COUNTING} and decides: {self.decides(scenario.policy)}."
        blanks = BLANKS.format(k=scenario.policy.k)
        return [answering, mixing, decides, blanks, last_round_sentence(scenario)]

    def decides(self, policy: "Policy") -> str:  # noqa: ARG002
        """Return the choice of the curator, as a clause: release as many values as are safe."""
        return "it has as much said by name as it can promise for, by the coverage bound"

    def promise(self, scenario: "Scenario") -> str:
        """Return the bound on exposed people, and the probability that it fails.

        It can fail because people suppress values at random, to hide which values are rare.
        """
        delta = scenario.policy.delta
        covers = f"where people cover others at random it may fail with probability {delta:g}"
        return exposure_promise(scenario, f"; {covers}")

    def explained(self, outcome: Any) -> Iterator[str]:
        """Yield lines on the suppressed values of each column, with their numbers of people."""
        policy = outcome.scenario.policy
        sure = f" (at least k = {policy.k} blanks, with confidence {1 - policy.delta:g})"
        for rule in outcome.findings.rules if outcome.findings else ():
            cover_note = "nobody else does"
            if rule.cover:
                cover_note = f"so does anybody else with probability {rule.cover:.3g}"
            values = ", ".join(map(str, rule.values))
            yield f"{rule.feature}: who has {values} leaves it blank; {cover_note}"
            yield (
                f"  {rule.listed:,} people must, {rule.expected:,.1f} are expected"
                + ("" if rule.blanks is None else f", {rule.blanks:,} did")
                + f"; a blank hides one of these values with chance {rule.chance:.3g}"
                + sure * bool(rule.cover)
            )

    def scores(self, outcome: Any) -> Iterator[Score]:
        """Yield scores: released cells, and released cells if whole columns were suppressed.

        A cell is one value of one person.
        """
        findings = outcome.findings
        if findings is None or not outcome.released:
            return
        yield (
            "cells said by name",
            f"{findings.cells:,} of {findings.of:,}",
            "people times features",
        )
        for label, rival in (
            ("... whole columns, same promise", findings.promise),
            ("... whole columns, same truth", findings.truth),
        ):
            columns = ", ".join(map(str, rival.kept)) or "nothing"
            yield label, f"{rival.cells:,} of {findings.of:,}", f"keeping {columns}"

    def stage_hiding(self, call: "Call", language: "Language") -> str:
        """Return the clause that users suppress values in a query; "" if they do not."""
        return language.say("says-hiding-blank") if call.hidden else ""
