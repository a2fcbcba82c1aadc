"""The program `threshold` as a ReleaseProgram: only rows shared by k people open."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....protocol.wire.parties import RANDOMNESS
from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem
from ..capabilities import OwnFindings, OwnProof, ThresholdOpening
from ..one_round import OneRound

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Counts, Decision
    from ....protocol.wire.schema import Schema
    from ..evidence import ProgramEvidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..random_participation import Participation


class PolicyOpening(ThresholdOpening):
    """The opening of rows as the policy of a scenario states it: k, prefixes, closing, sampling."""

    parties = (RANDOMNESS,)

    def participation(self, policy: Policy) -> "Participation | None":
        """Return the sampling rate of the policy; None if all people take part."""
        if policy.sample is None:
            return None
        from ....analysis.shuffled.sampled_rows import rate_parts
        from ..random_participation import Participation

        return Participation(rate_parts(policy.sample))

    def exposed(self, release: "Counts", k: int) -> int:
        """Return the number of people with a value in a prefix that fewer than k share."""
        from ....protocol.rounds.opened_prefixes import exposed

        return exposed(release, k)

    def excluded(self, release: "Counts", policy: Policy, schema: "Schema") -> int:
        """Return the number of people in a class smaller than k that is known by exclusion."""
        from .score import excluded_by

        return excluded_by(release, policy, schema).people

    def variants(self, policy: Policy) -> Iterator[tuple[str, Policy]]:
        """Yield policies that open whole rows, prefixes, and rows of random participants.

        The last only if the policy has a sampling rate. Each has the ending of its row's name.
        """
        whole = Policy(kind="threshold", k=policy.k)
        yield "", whole
        yield " prefixes", replace(whole, prefixes=True)
        if policy.sample is not None:
            yield " sampled", replace(whole, sample=policy.sample, epsilon=policy.epsilon)


class SameDecision(OwnProof):
    """The proof of a decision of `threshold`, which is the same for all counts."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Accept the decision: callers compare it with the only possible decision."""


class RowFindings(OwnFindings):
    """The findings of the program `threshold`: the open and the closed rows."""

    def record(self) -> "type[Findings]":
        """Return the record type of open and closed rows."""
        from .score import OpenedRows

        return OpenedRows


class Threshold(OneRound):
    """The program `threshold`: the analyst can open only rows, or prefixes, that k people share."""

    kind = wire = compared = "threshold"
    note = "what k people share opens; reader and `randomness` together can open all"
    opening = PolicyOpening()
    capabilities = (opening, SameDecision(), RowFindings())
    recomputed: str | None = "they follow from the release"

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield a problem for each key of a scenario that excludes this program."""
        from .check import problems

        return problems(scenario)

    def proof(self, policy: Policy) -> str:
        """Return the announced rule: whole rows, prefixes, or rows of random participants."""
        from ....protocol.rounds.opened_prefixes import CLOSED, PREFIXES, WHOLE, sampled_rule

        if participation := self.opening.participation(policy):
            return sampled_rule(
                participation.parts
            )  # any message may be a cover, so a blank reveals no value
        rule = PREFIXES if policy.prefixes else WHOLE
        return rule + CLOSED if policy.close == "published" else rule

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that queries all columns at once; its decision ignores counts."""
        from ....protocol.rounds.opened_prefixes import ByThreshold

        return ByThreshold(scenario.policy.k, self.proof(scenario.policy))

    def score(self, session: "Session") -> "Scored":
        """Return the counts of open and of closed rows."""
        from ....protocol.ideal import PeopleTable, count_cells
        from ..interface import Scored
        from .score import rows_tried, score, sealed_rows

        played, people = session.played, session.crowd.people
        policy = session.settings.policy
        if played.release is None:
            return Scored()
        present_users = session.present(1)
        read = played.transcript.reads[-1] if played.transcript else None
        drawn = session.settings.has_faults or policy.sample or people.answered
        if played.transcript is not None and drawn:
            # Users that misbehave, and phones, may seal other values than the population has.
            rows = sealed_rows(played.transcript, {*map(int, present_users)})
        elif policy.sample:
            rows = rows_tried(played)
        else:
            table = PeopleTable(people.values, people.codes[present_users])
            rows = count_cells(table, range(len(people.values)))
        return Scored(score(policy, people.schema, played.release, rows, read))

    def verify(self, evidence: "ProgramEvidence") -> str:
        """Recompute the record of open rows from the release, and return a summary."""
        from ..evidence import NoGround
        from .score import recomputed

        if evidence.result.release is None:
            raise NoGround("nothing was released")
        return recomputed(evidence)
