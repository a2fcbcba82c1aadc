"""The release program `incidence` (a policy.kind): for each t, the elements in exactly t sets.

The owners of the sets send bit vectors with noise.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...schema.kinds import SETS
from ...schema.model import Scenario
from ...schema.problems import Problem, problem
from ..capabilities import LocalNoise, OwnFindings
from ..people_source import SetPopulation
from ..randomized.check import BITS
from ..randomized.program import Randomizing

if TYPE_CHECKING:
    from ...populations import Population
    from ..evidence import Claims, ProgramEvidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..noisy_questions import Question


class SetNoise(LocalNoise):
    """The noise of the release program `incidence`: each bit of an owner's vector may be flipped.

    Bit i of an owner's vector is 1 if element i is in the owner's set.
    """

    def problems(self, scenario: Scenario) -> Iterator[Problem]:
        """Yield a problem if [local] names another mechanism than flipped bits."""
        if scenario.local.mechanism != BITS:
            kind = scenario.policy.kind
            message = f'"{kind}" counts sets with flipped bits; mechanism = "{BITS}" is accepted'
            yield problem(("local", "mechanism"), message)

    def questions(self, scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
        """Return a question for each piece (up to 4,096 bits) of the owners' bit vectors."""
        from .score import pieces

        return pieces(scenario.local.epsilon or 0.0, people)

    def recorded_questions(
        self,
        scenario: Scenario,
        result: "Claims",  # noqa: ARG002
        sizes: Sequence[int],
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, without any owner's vector.

        sizes: an entry for each element (bit of a vector); only the number of entries is used.
        """
        from .score import noise

        return noise(scenario.local.epsilon or 0.0, len(sizes))


class CountFindings(OwnFindings):
    """The findings of the release program `incidence`: for each t, elements in exactly t sets."""

    def record(self) -> "type[Findings]":
        """Return the record type of the estimates."""
        from .score import IncidenceFindings

        return IncidenceFindings


class IncidenceProgram(Randomizing):
    """The release program `incidence`: it estimates how many elements are in exactly t sets.

    Owners send the vectors of their sets with flipped bits, so the counts are noisy.
    """

    kind = SETS
    compared: str | None = None
    noise = SetNoise()
    capabilities = (noise, SetPopulation(), CountFindings())

    def score(self, session: "Session") -> "Scored":
        """Return, for each t, the estimated number of elements in exactly t sets.

        The result has confidence limits, and the leakage of an owner's reports.
        """
        from ..interface import Scored
        from ..noisy_questions import reports
        from .information import compose_vectors
        from .score import score

        settings, people = session.settings, session.crowd.people
        tallies = () if session.played.burned else session.played.tallies
        present_owners, questions = session.present(1), settings.questions
        leakage_measure = partial(compose_vectors, questions, people.codes[present_owners])
        findings = score(settings, people, present_owners, leakage_measure, tallies)
        release = reports(people.schema.names, tallies[0]) if tallies else None
        information = findings.information if findings else None
        return Scored(findings, release, information)

    def verify(self, evidence: "ProgramEvidence") -> str:
        """Recompute the estimates from the flipped vectors in the record, and return a summary."""
        from ..evidence import NoGround
        from .score import recomputed

        if not evidence.result.findings:
            raise NoGround("no reports were counted")
        return recomputed(evidence)
