"""The common part of programs with a choice of columns by the curator.

A program inherits from `Decided` all that it does not change; choices.py has three that decide from
the counts of single columns.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....deprecated import keeps_old
from ...populations import facts as of_people
from ...populations import samples as drawing
from ...populations.facts import ScenarioFacts
from ...schema.model import FeatureSection, Policy, Scenario
from ...schema.problems import Problem, listed, problem, quoted
from ..capabilities import C, Capability
from ..evidence import NoGround
from .rule_names import CARRIED_OVER, OWN_PROOF_RULES, PERSONS, policy_for

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.announcement import AnnouncedPolicy
    from ....protocol.wire.messages import Call, Counts, Decision
    from ....protocol.wire.schema import Schema
    from ...populations import Population
    from ...populations.samples import Samples
    from ..dropped_columns import UnreleasedColumn
    from ..evidence import ProgramEvidence
    from ..findings import Findings
    from ..interface import ConsideredColumns, Scored, Session

TWO_ROUND = "two-round"  # its questions on the wire
ROW = "exposure"  # its row of a comparison, which is called as the kind that is played


def resolved_policy(scenario: Scenario) -> Policy:
    """Return the policy of a scenario, with its default rule resolved."""
    counted = scenario.population.setting == "fixed"
    return policy_for(scenario.policy, people_counted=counted)


@keeps_old(again="asks_again", held="has_columns")
class Decided:
    """A program with a choice of columns by the curator."""

    kind = ""
    wire = TWO_ROUND
    compared: str | None = ROW
    note = "two rounds: columns chosen from the counts of single columns"
    capabilities: tuple[Capability, ...] = ()
    chooses = True
    listed = False
    by_rule = False
    asks_again = False
    deepens = False
    on_paper = False
    among_peers = True  # two rounds, and a rule for the counts of the first
    has_columns = True
    recomputed: str | None = None
    member = ("person", "people")
    unit = "feature"
    largest: str | None = "round 2 at its largest: as if every column were kept"

    def capability(self, kind: type[C]) -> C | None:
        """Return the part of this kind; None if the program has none."""
        return next((part for part in self.capabilities if isinstance(part, kind)), None)

    def rounds(self, features: int, policy: Policy) -> int:  # noqa: ARG002
        """Return 2: counts of single columns, and the release."""
        return 2

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Report a rule without a valid bound for the people of the release."""
        population, policy = scenario.population, scenario.policy
        if self.asks_again and population.setting != "fixed":
            message = f"kind = {quoted(policy.kind)} asks the same people again; say setting = "
            yield problem(("population", "setting"), message + '"fixed" or leave it out')
        elif self.asks_again and policy.rule not in OWN_PROOF_RULES:
            message = f"kind = {quoted(policy.kind)} proves by the coverage bound; leave rule out"
            yield problem(("policy", "rule"), message)
        elif population.setting != "fixed" and resolved_policy(scenario).rule not in CARRIED_OVER:
            yield problem(
                ("policy", "rule"),
                f"{quoted(policy.rule)} promises nothing about people who were not counted; "
                f'setting = "statistical" takes {listed(CARRIED_OVER)}',
            )

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the people of a scenario, with columns, and its problems."""
        return of_people.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Draw people with columns."""
        return drawing.samples(scenario, seed)

    def asks(self, scenario: Scenario, names: tuple[str, ...]) -> tuple[FeatureSection, ...]:
        """Return the features of the scenario file, or all of the source."""
        return scenario.feature or tuple(FeatureSection(name=name) for name in names)

    def recorded(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the features of the scenario that the run folder keeps."""
        return tuple(feature.name for feature in scenario.feature)

    def policy(self, scenario: Scenario) -> "AnnouncedPolicy":
        """Return the announced policy: the promise, and the rule that shall prove it."""
        from ....protocol.wire.announcement import AnnouncedPolicy, Setting

        policy = scenario.policy
        setting = Setting(scenario.population.setting)
        delta = policy.delta if setting is Setting.STATISTICAL else 0.0
        proof = self.proof(resolved_policy(scenario))
        if scenario.population.rows is not None and self.by_rule:
            proof = PERSONS
        return AnnouncedPolicy(
            policy.k, policy.max_exposure, proof, policy.publish_marginals, setting, delta
        )

    def proof(self, policy: Policy) -> str:
        """Return the rule of the promise, as it is announced."""
        return policy.kind

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Return the strategy that decides by the rule of the policy, from single columns."""
        if scenario.population.rows is not None:
            from .persons import ByPersons

            return ByPersons(scenario.policy, scenario.population.rows)
        from .rules import BySingles, decision_rule

        return BySingles(decision_rule(scenario.policy, others), scenario.policy)

    def fixed_columns(self, policy: Policy, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """Return None: the curator chooses."""
        return None

    def calls(self, policy: Policy, schema: "Schema") -> "Sequence[Call]":
        """Return the queries: each column by itself, then the released columns, all at most."""
        from ....protocol.board.strategies import first_call
        from ....protocol.wire.announcement import Program
        from ....protocol.wire.messages import Call
        from ....protocol.wire.parties import Role

        names = policy.keep if self.listed else schema.names
        joint = tuple(sorted(schema.column(name) for name in names))
        calls = [first_call(Program(self.wire), schema), *self.deeper(policy, joint)]
        return [*calls, Call(len(calls) + 1, Role.ANALYST, (joint,))]

    def deeper(self, policy: Policy, columns: Sequence[int]) -> "Iterator[Call]":  # noqa: ARG002
        """Yield the queries between the first counts and the release; by default no query."""
        yield from ()

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return the number of values of each feature."""
        return tuple(len(texts) for texts in people.values)

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its bound, if there are few columns."""
        if session.scenario.population.rows is not None:
            from .persons import considered as of_persons

            return of_persons(session)
        from .options import considered

        return considered(session)

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":  # noqa: ARG002
        """Return (): single columns do not decide."""
        return ()

    def score(self, session: "Session") -> "Scored":  # noqa: ARG002
        """Return empty findings: every run has all of this program's scores."""
        from ..interface import Scored

        return Scored()

    def findings(self) -> "type[Findings] | None":
        """Return None: the program has no findings of its own."""
        return None

    def proves(self, rule: str) -> bool:  # noqa: ARG002
        """Return False: rules of the analysis belong to no single program."""
        return False

    def verify_decision(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Recompute the certificate from the counts of single columns."""
        if decision.certificate.rule.startswith(PERSONS):
            from .persons import verify_persons

            verify_persons(decision, round_results)
            return
        from ....protocol.rounds.tallying import marginals
        from .rules import verify_certificate

        counts, _ = marginals(round_results[0].counts)
        verify_certificate(decision.certificate, counts, decision.kept, schema)

    def verify(self, evidence: "ProgramEvidence") -> str:  # noqa: ARG002
        """Raise NoGround: the program has no findings of its own."""
        raise NoGround("its program found nothing beside what every run has")

    def options(
        self,
        policy: Policy,
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        new_people: int | None,
    ) -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its bound, if there are few columns."""
        from .options import options

        return options(policy, schema, counts, new_people)
