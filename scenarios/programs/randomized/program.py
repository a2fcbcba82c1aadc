"""The program `randomized` behind the interface of all: people randomize what they say.

`Randomizing` is what its kinds have in common: one round, reports that the analyst reads, and
nothing that a curator decides. `Histogram` asks people for their features.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import VerificationError
from ...populations.facts import Facts
from ...schema.kinds import KIND
from ...schema.model import Policy as Section
from ...schema.model import Scenario
from ...schema.problems import Problem
from ..one_round import OneRound
from . import text

if TYPE_CHECKING:
    from ....protocol.announcement import Policy
    from ....protocol.schema import Schema
    from ...pages.pieces import Answer
    from ...pages.pieces import Section as Part
    from ...populations import Population
    from ...wording import Block
    from ..evidence import Claims, Evidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from .questions import Question


class Randomizing(OneRound):
    """One round of reports."""

    wire = "randomized"
    reports = True
    recomputed: str | None = "they follow from the counts of reports"

    def check(self, scenario: Scenario, facts: Facts) -> Iterator[Problem]:  # noqa: ARG002
        """Nothing beside the checks of noise (check.py), which need to know what is wrong."""
        yield from ()

    def policy(self, scenario: Scenario) -> "Policy":
        """No crowd is promised: the rule says what people do to their answers."""
        from ....protocol.announcement import Policy
        from .questions import rule

        return Policy(1, 1.0, rule(scenario, len(scenario.feature)))

    def stage_rule(self, policy: Section) -> str:  # noqa: ARG002
        """Nothing is decided."""
        return text.UNDECIDED

    def stage_announcement(self, policy: "Policy") -> str:  # noqa: ARG002
        """No crowd is promised."""
        return "everybody adds noise before sealing"


class Histogram(Randomizing):
    """Shares of every value of every feature, from randomized reports."""

    kind = KIND
    compared: str | None = "randomized"
    note = "noise before sealing; two-way tables as if independent"

    def schema(self, scenario: Scenario, schema: "Schema") -> "Schema":
        """Reports, not values."""
        from .questions import reported_schema

        return reported_schema(scenario, schema)

    def names(self, scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:
        """Of features, or of one report of all."""
        from .questions import reported_names

        return reported_names(scenario, names)

    def questions(self, scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
        """One for each feature, or one of all."""
        from .questions import questions

        return questions(scenario, people.schema.names, people.values)

    def noise(
        self,
        scenario: Scenario,
        result: "Claims",
        sizes: Sequence[int],  # noqa: ARG002
    ) -> "Sequence[Question]":
        """The same; what people have is not known from a record."""
        from .questions import questions
        from .score import Randomized

        local = result.findings
        if not isinstance(local, Randomized):
            raise VerificationError("people are said to be found by reports that were not counted")
        return questions(scenario, result.features, local.domains)

    def score(self, session: "Session") -> "Scored":
        """What the reports say."""
        from ..interface import Scored
        from .questions import reports
        from .score import score

        scenario, people = session.scenario, session.crowd.people
        tallies = () if session.played.burned else session.played.tallies
        columns = self.names(scenario, people.schema.names)
        asked = self.questions(scenario, people)
        local = score(scenario, people, asked, session.present(1), tallies)
        release = reports(columns, tallies[0]) if tallies else None
        told = local.told.information if local else None
        return Scored(local, release, told)

    def findings(self) -> "type[Findings]":
        """Estimates, their errors and what they cost."""
        from .score import Randomized

        return Randomized

    def verify(self, evidence: "Evidence") -> str:
        """Recompute the estimates from the counts of reports."""
        from .verify import recomputed

        return recomputed(evidence)

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:
        """What will happen, a sentence a step."""
        return [*text.steps(scenario, answering), mixing, text.counting(scenario)]

    def advice(self, scenario: Scenario, people: "Population") -> Iterator[str]:
        """What to expect of the noise, and which mechanism has least error."""
        from .choice import advice
        from .foreseen import foreseen

        yield from foreseen(scenario, people)
        yield from advice(scenario, people)

    def promise(self, scenario: Scenario) -> str:
        """What is promised, in words."""
        return text.promise(scenario)

    def summary(self, outcome: Any) -> "Iterator[Block]":
        """Every estimate."""
        return text.summary(outcome)

    def scores(self, outcome: Any) -> Iterator[tuple[str, str, str]]:
        """Errors, and every epsilon."""
        return text.scores(outcome.findings) if outcome.findings else iter(())

    def remark(self) -> str:
        """What a report is not."""
        return text.NOTE

    def answers(self, result: "Claims") -> "tuple[Answer, ...]":
        """Estimates, and what noise leaves hidden."""
        from .score import Randomized
        from .section import answers

        findings = result.findings
        return answers(findings if isinstance(findings, Randomized) else None, result.burned)

    def section(self, scenario: Scenario, result: "Claims") -> "Iterator[Part]":
        """Noise against benefit."""
        from .score import Randomized
        from .section import section

        if isinstance(result.findings, Randomized):
            yield section(scenario, result.findings)
