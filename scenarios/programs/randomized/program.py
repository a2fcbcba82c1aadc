"""The release program `histogram` as a ReleaseProgram: people randomize their answers themselves.

`Randomizing` is the base class of programs with reports: one round, reports that the analyst reads,
and no decision by a curator. `Histogram` asks people for their features.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....errors import VerificationError
from ...populations.facts import ScenarioFacts
from ...schema import mechanisms
from ...schema.kinds import KIND
from ...schema.model import Scenario
from ...schema.problems import Problem, problem
from ..capabilities import LocalNoise, OwnFindings
from ..one_round import OneRound

if TYPE_CHECKING:
    from ....protocol.wire.announcement import AnnouncedPolicy
    from ....protocol.wire.schema import Schema
    from ...populations import Population
    from ..evidence import Claims, ProgramEvidence
    from ..findings import Findings
    from ..interface import Scored, Session
    from ..noisy_questions import Question


class FeatureNoise(LocalNoise):
    """The noise of the release program `histogram`: each person reports its features with noise."""

    def problems(self, scenario: Scenario) -> Iterator[Problem]:
        """Yield a problem if [local] names no mechanism."""
        if scenario.local.mechanism == "none":
            kind, accepted = scenario.policy.kind, mechanisms.listed()
            message = f'"{kind}" counts randomized reports; say in [local] mechanism = {accepted}, '
            yield problem(("policy", "kind"), message + "and epsilon")

    def schema(self, scenario: Scenario, schema: "Schema") -> "Schema":
        """Return the announced features: a feature for each message of a report.

        Most reports are one message; a report split into shares has a message for each share.
        """
        from ..noisy_questions import reported_schema

        return reported_schema(scenario, schema)

    def names(self, scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the announced features: a feature for each message of a report.

        names: the people's features. Most reports are a single message about a feature; a report
        split into shares has a message for each share.
        """
        from ..noisy_questions import reported_names

        return reported_names(scenario, names)

    def questions(self, scenario: Scenario, people: "Population") -> "tuple[Question, ...]":
        """Return a question for each feature, or a joint question about all features."""
        from ..noisy_questions import questions

        return questions(scenario, people.schema.names, people.values)

    def recorded_questions(
        self,
        scenario: Scenario,
        result: "Claims",
        sizes: Sequence[int],  # noqa: ARG002
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, without the true values of people.

        The possible values come from the findings in `result`; `sizes` is not used. Raises
        VerificationError without findings.
        """
        from ..noisy_questions import questions
        from .score import Randomized

        local = result.findings
        if not isinstance(local, Randomized):
            raise VerificationError(
                "result.json: re-identification is claimed, but no report was counted"
            )
        return questions(scenario, result.features, local.domains)


class ShareFindings(OwnFindings):
    """The findings of the release program `histogram`: shares, errors and privacy loss."""

    def record(self) -> "type[Findings]":
        """Return the record type of estimates, errors and privacy loss."""
        from .score import Randomized

        return Randomized


class Randomizing(OneRound):
    """The base class of release programs with one round of randomized reports."""

    wire = "randomized"
    recomputed: str | None = "they follow from the counts of reports"

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield no problems: randomized/check.py has the checks of noise.

        They are in the table of all checks (lab/validation), because each runs only if other parts
        of the scenario file are right.
        """
        yield from ()

    def policy(self, scenario: Scenario) -> "AnnouncedPolicy":
        """Return the announced policy: its rule states the noise.

        It limits no exposure (k = 1, max_exposure = 1), because no curator releases columns.
        """
        from ....protocol.wire.announcement import AnnouncedPolicy
        from ..noisy_questions import rule

        return AnnouncedPolicy(1, 1.0, rule(scenario.local, len(scenario.feature)))


class Histogram(Randomizing):
    """The release program `histogram`: it estimates each value's share from noisy reports."""

    kind = KIND
    compared: str | None = KIND
    note = "randomized: noise before sealing; two-way tables as if independent"
    noise = FeatureNoise()
    capabilities = (noise, ShareFindings())

    def score(self, session: "Session") -> "Scored":
        """Return the estimated shares with their errors, and the released counts of reports."""
        from ..interface import Scored
        from ..noisy_questions import reports
        from .score import score

        settings, people = session.settings, session.crowd.people
        tallies = () if session.played.burned else session.played.tallies
        local = score(settings.local, people, settings.questions, session.present(1), tallies)
        release = reports(settings.names, tallies[0]) if tallies else None
        information = local.privacy.information if local else None
        return Scored(local, release, information)

    def verify(self, evidence: "ProgramEvidence") -> str:
        """Recompute the estimates from the recorded counts of reports, and return a summary."""
        from .verify import recomputed

        return recomputed(evidence)
