"""The release program `threshold`: a row opens only if at least k people share it.

To open a row is to decrypt its values; all other rows stay encrypted (closed).
"""

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
    """The rules by which rows open under a scenario's policy: k, prefixes, close and sample.

    A row opens (the analyst can decrypt it) if k people share it; with `prefixes` also its first
    values. With `close` further groups stay unpublished, with `sample` people take part at random.
    """

    parties = (RANDOMNESS,)

    def participation(self, policy: Policy) -> "Participation | None":
        """Return the random draw by which a person takes part; None if all people take part."""
        if policy.sample is None:
            return None
        from ....analysis.shuffled.sampled_rows import rate_parts
        from ..random_participation import Participation

        return Participation(rate_parts(policy.sample))

    def exposed(self, release: "Counts", k: int) -> int:
        """Return the number of people with a released value that fewer than k people share.

        release: people by released cell; a cell has the first values of a row (its prefix), then
        blanks.
        """
        from ....protocol.rounds.opened_prefixes import exposed

        return exposed(release, k)

    def excluded(self, release: "Counts", policy: Policy, schema: "Schema") -> int:
        """Return the number of people in small classes that a release reveals by exclusion.

        The release shows the values of all people outside such a class of fewer than k people.
        """
        from .score import excluded_by

        return excluded_by(release, policy, schema).people

    def variants(self, policy: Policy) -> Iterator[tuple[str, Policy]]:
        """Yield (suffix, policy): the variants that a comparison of release programs plays.

        The variants open whole rows, prefixes (first values) of rows, and, if the policy has a
        sampling rate, rows of random participants. The suffix is added to the program's name in
        the comparison's table.
        """
        whole = Policy(kind="threshold", k=policy.k)
        yield "", whole
        yield " prefixes", replace(whole, prefixes=True)
        if policy.sample is not None:
            yield " sampled", replace(whole, sample=policy.sample, epsilon=policy.epsilon)


class SameDecision(OwnProof):
    """The proof of a decision of `threshold`, which does not depend on any counts."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Accept the decision, because other checks compare it with the only possible decision."""


class RowFindings(OwnFindings):
    """The findings of the release program `threshold`: released rows, and rows that stay encrypted.

    A row is released if at least k people share it.
    """

    def record(self) -> "type[Findings]":
        """Return the record type of the findings: released rows, and rows that stay encrypted."""
        from .score import OpenedRows

        return OpenedRows


class Threshold(OneRound):
    """The release program `threshold`: the analyst decrypts only rows or prefixes of k people.

    A prefix is the first values of a row. The party `randomness` gives users secrets that only
    equal rows share. Analyst and `randomness` together can read every row, by trying all possible
    rows.
    """

    kind = wire = compared = "threshold"
    note = "what k people share opens; reader and `randomness` together can open all"
    opening = PolicyOpening()
    capabilities = (opening, SameDecision(), RowFindings())
    recomputed: str | None = "they follow from the release"

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield a problem for each key of a scenario that this release program cannot accept."""
        from .check import problems

        return problems(scenario)

    def proof(self, policy: Policy) -> str:
        """Return the announced rule: whole rows, prefixes, or rows of random participants open.

        A prefix is the first values of a row. A row or prefix opens if k people share it.
        """
        from ....protocol.rounds.opened_prefixes import CLOSED, PREFIXES, WHOLE, sampled_rule

        if participation := self.opening.participation(policy):
            # The reader publishes all rows that it decrypts: any message may be a dummy (without a
            # row), so the unreleased rows reveal no value.
            return sampled_rule(participation.parts)
        rule = PREFIXES if policy.prefixes else WHOLE
        return rule + CLOSED if policy.close == "published" else rule

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that releases all columns at once; the decision ignores counts.

        A value is released only if k people share its row, or with prefixes the row up to this
        value.
        """
        from ....protocol.rounds.opened_prefixes import ByThreshold

        return ByThreshold(scenario.policy.k, self.proof(scenario.policy))

    def score(self, session: "Session") -> "Scored":
        """Return the numbers of released rows, and of rows that stay encrypted."""
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
        """Recompute the findings from the release, and return a summary.

        The findings are the numbers of released and of encrypted rows. Raises NoGround without a
        release.
        """
        from ..evidence import NoGround
        from .score import recomputed

        if evidence.result.release is None:
            raise NoGround("nothing was released")
        return recomputed(evidence)
