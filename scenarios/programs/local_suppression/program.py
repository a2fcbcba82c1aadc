"""The program `local-suppression` behind the interface of all (programs/interface.py)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...schema.model import Scenario
from ..curated.program import Decided

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Decision
    from ....protocol.wire.schema import Schema
    from ..findings import Findings
    from ..interface import Scored, Session


class LocalSuppressionProgram(Decided):
    """A program that suppresses values by rules, with random covers."""

    kind = wire = compared = "local-suppression"
    among_peers = False
    note = "rare values blanked by rule, with cover"
    asks_again = True

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that decides on columns and on suppressed values."""
        from .strategy import LocalSuppressionStrategy as Strategy

        return Strategy(scenario.policy)

    def score(self, session: "Session") -> "Scored":
        """Return the chance that a blank hides a rare value, and the cost of blanks."""
        from ..interface import Scored
        from .score import score

        played, people = session.played, session.crowd.people
        if played.decision is None:
            return Scored()
        codes = people.codes[session.present(len(played.calls))]
        first, release = played.tallies[0], played.release
        policy = session.scenario.policy
        findings = score(policy, people.schema, first, played.decision, release, codes)
        return Scored(findings)

    def findings(self) -> "type[Findings]":
        """Return the record of suppressed values and their cost."""
        from .score import Blanks

        return Blanks

    def proves(self, rule: str) -> bool:
        """Whether the rule is called after this kind."""
        return rule.startswith(self.kind)

    def verify_decision(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Prove the decision again from the counts of single columns."""
        from .strategy import verify

        verify(decision, schema, round_results)
