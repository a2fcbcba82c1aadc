"""The program of policy.kind = "incidence" behind the interface of all: owners and their sets."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...populations import set_facts
from ...populations.facts import ScenarioFacts
from ...schema.kinds import SETS
from ...schema.model import FeatureSection, Scenario
from ...schema.problems import Problem
from ..randomized.program import Randomizing
from . import text

if TYPE_CHECKING:
    from ....presentation.pieces import Section, VerdictAnswer
    from ....presentation.wording import Block
    from ...populations import Population
    from ...populations.samples import Samples
    from ..evidence import Claims, ProgramEvidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..noisy_questions import Question


class IncidenceProgram(Randomizing):
    """A program that estimates from flipped vectors the number of sets that hold an element."""

    kind = SETS
    compared: str | None = None
    has_columns = False
    member = ("owner", "owners")
    unit = "position"

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the owners with the pieces of their vectors, and the problems."""
        return set_facts.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Return all owners at once."""
        from ...populations.samples import Samples
        from ...populations.sets import owners

        people = owners(scenario, seed)
        return Samples(people, people.n, people.n)

    def asks(
        self,
        scenario: Scenario,  # noqa: ARG002
        names: tuple[str, ...],  # noqa: ARG002
    ) -> tuple[FeatureSection, ...]:
        """Return (): pieces of vectors are not features."""
        return ()

    def recorded(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the pieces."""
        from ...populations.sets import piece_names

        return piece_names(len(sizes))

    def questions(self, scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
        """Return a question for each piece."""
        from .questions import pieces

        return pieces(scenario.local.epsilon or 0.0, people)

    def noise(
        self,
        scenario: Scenario,
        result: "Claims",  # noqa: ARG002
        sizes: Sequence[int],
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, without any owner's vector."""
        from .questions import noise

        return noise(scenario.local.epsilon or 0.0, len(sizes))

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return 2 for every position: each is a column with two values."""
        from ...populations.sets import positions_of

        return (2,) * positions_of(people)

    def score(self, session: "Session") -> "Scored":
        """Estimate the number of elements per number of sets."""
        from ..interface import Scored
        from ..noisy_questions import reports
        from .information import compose_vectors
        from .score import score

        scenario, people = session.scenario, session.crowd.people
        tallies = () if session.played.burned else session.played.tallies
        present_owners, questions = session.present(1), self.questions(scenario, people)
        leakage_measure = partial(compose_vectors, questions, people.codes[present_owners])
        findings = score(scenario, people, questions, present_owners, leakage_measure, tallies)
        release = reports(people.schema.names, tallies[0]) if tallies else None
        information = findings.information if findings else None
        return Scored(findings, release, information)

    def findings(self) -> "type[Findings]":
        """Return the record of these estimates."""
        from .score import IncidenceFindings

        return IncidenceFindings

    def verify(self, evidence: "ProgramEvidence") -> str:
        """Recompute the counts from the flipped vectors."""
        from ..evidence import NoGround
        from .verify import recomputed

        if not evidence.result.findings:
            raise NoGround("no reports were counted")
        return recomputed(evidence)

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each."""
        return [*text.steps(scenario, answering), mixing, text.COUNTING]

    def describe(self, people: "Population") -> list[str]:
        """Return the length of the vectors, in a line."""
        return text.describe(people)

    def promise(self, scenario: Scenario) -> str:
        """Return the promise, in words."""
        return text.promise(scenario)

    def summary(self, outcome: Any) -> "Iterator[Block]":
        """Return the table of all counts."""
        return text.summary(outcome)

    def scores(self, outcome: Any) -> Iterator[tuple[str, str, str]]:
        """Return score rows: errors and privacy budgets."""
        return text.scores(outcome.findings) if outcome.findings else iter(())

    def remark(self) -> str:
        """Return a remark on the difference between a vector and a set."""
        return text.NOTE

    def answers(self, result: "Claims") -> "tuple[VerdictAnswer, ...]":
        """Return the answers: estimated counts, and the leakage of a vector about an element."""
        from .score import IncidenceFindings as Found
        from .section import answers

        findings = result.findings
        return answers(findings if isinstance(findings, Found) else None, result.burned)

    def section(self, scenario: Scenario, result: "Claims") -> "Iterator[Section]":  # noqa: ARG002
        """Yield the section on the number of sets per element."""
        from .score import IncidenceFindings as Found
        from .section import section

        if isinstance(result.findings, Found):
            yield section(result.findings)
