"""The program of policy.kind = "incidence" behind the interface of all: owners and their sets."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...populations import set_facts
from ...populations.facts import ScenarioFacts
from ...schema.kinds import SETS
from ...schema.model import FeatureSection, Scenario
from ...schema.problems import Problem
from ..capabilities import LocalNoise
from ..randomized.program import Randomizing

if TYPE_CHECKING:
    from ...populations import Population
    from ...populations.samples import Samples
    from ..evidence import Claims, ProgramEvidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..noisy_questions import Question


class SetNoise(LocalNoise):
    """The noise of reports about sets: each bit of a vector may be flipped."""

    def questions(self, scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
        """Return a question for each piece."""
        from .questions import pieces

        return pieces(scenario.local.epsilon or 0.0, people)

    def recorded_questions(
        self,
        scenario: Scenario,
        result: "Claims",  # noqa: ARG002
        sizes: Sequence[int],
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, without any owner's vector."""
        from .questions import noise

        return noise(scenario.local.epsilon or 0.0, len(sizes))


class IncidenceProgram(Randomizing):
    """A program that estimates from flipped vectors the number of sets that hold an element."""

    kind = SETS
    compared: str | None = None
    noise = SetNoise()
    capabilities = (noise,)
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
        present_owners, questions = session.present(1), self.noise.questions(scenario, people)
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
