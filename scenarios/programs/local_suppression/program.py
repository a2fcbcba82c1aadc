"""The program `local-suppression` behind the interface of all (programs/interface.py)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...schema.model import Policy, Scenario
from ..curated.program import Decided
from ..curated.text import COUNTING, last_round_sentence
from ..curated.text import promise as promised
from . import text

if TYPE_CHECKING:
    from ....languages.language import Language
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Call, Decision
    from ....protocol.wire.schema import Schema
    from ..findings import Findings
    from ..interface import Scored, Session


class LocalSuppressionProgram(Decided):
    """A program that suppresses values by rules, with random covers."""

    kind = wire = compared = "local-suppression"
    stage_key = "says-rule-suppressed"
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

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each."""
        decides = f"{COUNTING} and decides: {self.decides(scenario.policy)}."
        blanks = text.BLANKS.format(k=scenario.policy.k)
        return [answering, mixing, decides, blanks, last_round_sentence(scenario)]

    def decides(self, policy: Policy) -> str:  # noqa: ARG002
        """Return the released columns, as a clause."""
        return "it has as much said by name as it can promise for, by the coverage bound"

    def promise(self, scenario: Scenario) -> str:
        """Return the promise, in words."""
        delta = scenario.policy.delta
        return promised(
            scenario,
            f"; where people cover others at random it may fail with probability {delta:g}",
        )

    def explained(self, outcome: Any) -> Iterator[str]:
        """Return lines: the suppressed values, and the number of blanks."""
        return text.blanks(outcome)

    def scores(self, outcome: Any) -> Iterator[tuple[str, str, str]]:
        """Return score rows: released cells, compared with whole columns."""
        return text.scores(outcome)

    def stage_hiding(self, call: "Call", language: "Language") -> str:
        """Return a clause on blanks: rare values, and covers for them."""
        return language.say("says-hiding-blank") if call.hidden else ""
