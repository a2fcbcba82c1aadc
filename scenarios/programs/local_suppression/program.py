"""The program `local-suppression` behind the interface of all (programs/interface.py)."""

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
    """The proof of suppressed columns and values."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Prove the decision again from the counts of single columns."""
        from .strategy import verify

        verify(decision, schema, round_results)


class BlankFindings(OwnFindings):
    """The suppressed values and their cost."""

    def record(self) -> "type[Findings]":
        """Return the record of suppressed values and their cost."""
        from .score import Blanks

        return Blanks


class LocalSuppressionProgram(Decided):
    """A program that suppresses values by rules, with random covers."""

    kind = wire = compared = "local-suppression"
    note = "rare values blanked by rule, with cover"
    capabilities = (BoundDecision(), WeighedChoice(), ValueProof(), BlankFindings())

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Report other people in round 2, and a rule besides the own proof."""
        return same_people_problems(scenario)

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that decides on columns and on suppressed values."""
        from .strategy import LocalSuppressionStrategy as Strategy

        return Strategy(scenario.policy)

    def score(self, session: "Session") -> "Scored":
        """Return the chance that a blank hides a rare value, and the cost of blanks."""
        from .score import score

        played, people, scored = session.played, session.crowd.people, super().score(session)
        if played.decision is None:
            return scored
        codes = people.codes[session.present(len(played.calls))]
        first, release = played.tallies[0], played.release
        policy = session.settings.policy
        findings = score(policy, people.schema, first, played.decision, release, codes)
        return replace(scored, findings=findings)
