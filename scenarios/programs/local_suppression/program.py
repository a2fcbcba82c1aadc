"""The release program `local-suppression` as a ReleaseProgram (programs/interface.py).

It releases columns in which people leave rare values blank, by rules. Some other people, drawn at
random, leave a blank too (a cover), so that a blank does not reveal a rare value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Scenario
from ...schema.problems import Problem
from ..capabilities import OwnFindings, OwnProof, WeighedChoice
from ..curated.program import BoundDecision, Decided, same_people_problems

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Decision
    from ....protocol.wire.schema import Schema
    from ..findings import Findings
    from ..interface import Scored, Session


class ValueProof(OwnProof):
    """The proof of a decision of `local-suppression` on columns and on values to suppress."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Raise VerificationError unless the counts of single columns prove the decision.

        round_results: the queries with their counts; only round 1 is read.
        """
        from .strategy import verify

        verify(decision, schema, round_results)


class BlankFindings(OwnFindings):
    """The findings of the release program `local-suppression`: suppressed values and cost."""

    def record(self) -> "type[Findings]":
        """Return the record type of suppressed values and their cost."""
        from .score import Blanks

        return Blanks


class LocalSuppressionProgram(Decided):
    """The release program `local-suppression`: people suppress rare values, by rules.

    Some other people, drawn at random, leave a blank too (covers), so that a blank does not reveal
    which value it hides.
    """

    kind = wire = compared = "local-suppression"
    note = "rare values blanked by rule, with cover"
    capabilities = (BoundDecision(), WeighedChoice(), ValueProof(), BlankFindings())

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield a problem if round 2 asks other people, or if the scenario sets a rule.

        A rule is a method that bounds exposure. This release program needs no rule, because it
        proves its decisions itself by the coverage bound (a count of the cells of common values).
        """
        return same_people_problems(scenario)

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that decides on released columns and on values to suppress."""
        from .strategy import LocalSuppressionStrategy as Strategy

        return Strategy(scenario.policy)

    def score(self, session: "Session") -> "Scored":
        """Return the scores of a session, with the findings of this release program.

        The findings are the suppressed values, the chance that a blank hides a rare value, and the
        number of cells released with a value.
        """
        from .score import score

        played, people, scored = session.played, session.crowd.people, super().score(session)
        if played.decision is None:
            return scored
        codes = people.codes[session.present(len(played.calls))]
        first, release = played.tallies[0], played.release
        policy = session.settings.policy
        findings = score(policy, people.schema, first, played.decision, release, codes)
        return replace(scored, findings=findings)
