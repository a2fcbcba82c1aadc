"""The base class `Decided` of release programs with a curator that chooses columns.

Programs inherit from `Decided` and override the parts that differ. choices.py has three programs
that decide from the counts of single columns.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem, listed, problem, quoted
from ..capabilities import ColumnDecision, DeeperQueries, FixedColumns, WeighedChoice
from ..capability import C, Capability
from ..evidence import NoGround
from .rule_names import CARRIED_OVER, OWN_PROOF_RULES, PERSONS, policy_for

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.announcement import AnnouncedPolicy
    from ....protocol.wire.messages import Call, Counts, Decision
    from ....protocol.wire.schema import Schema
    from ..evidence import ProgramEvidence
    from ..interface import ConsideredColumns, Scored, Session

TWO_ROUND = "two-round"  # the sequence of queries: single columns, then the release
# Release programs derived from `Decided` share this row in the table of a comparison of programs.
# The row has the name of the kind of policy `exposure`.
ROW = "exposure"


def resolved_policy(scenario: Scenario) -> Policy:
    """Return the policy of a scenario, with a rule that bounds the exposure of the released people.

    If round 2 asks other people than round 1, the default rule is replaced, because it holds only
    for the people that were counted.
    """
    counted = scenario.population.setting == "fixed"
    return policy_for(scenario.policy, people_counted=counted)


def same_people_problems(scenario: Scenario) -> Iterator[Problem]:
    """Yield a problem if a scenario asks other people in round 2, or sets the rule of the bound.

    For release programs that ask the same people in each round and prove exposure by the coverage
    bound, which counts the cells of common values. The rule (the method of the proof) is then not a
    choice.
    """
    kind = quoted(scenario.policy.kind)
    if scenario.population.setting != "fixed":
        message = f"kind = {kind} asks the same people again; say setting = "
        yield problem(("population", "setting"), message + '"fixed" or leave it out')
    elif scenario.policy.rule not in OWN_PROOF_RULES:
        message = f"kind = {kind} proves by the coverage bound; leave rule out"
        yield problem(("policy", "rule"), message)


class BoundDecision(ColumnDecision):
    """The decision of a curator by the exposure bounds of all sets of columns."""

    def options(
        self,
        policy: Policy,
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        new_people: int | None,
    ) -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its exposure bound; () with more than 6 columns.

        counts: the counts of round 1, by column; None: it was not counted. new_people: the number
        of people in round 2 if they are other people; None: the same people.
        """
        from .options import options

        return options(policy, schema, counts, new_people)

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its exposure bound; () with more than 6 columns."""
        if session.settings.rows is not None:
            from .persons import considered as of_persons

            return of_persons(session)
        from .options import considered

        return considered(session)


class Decided:
    """The base class of release programs with a curator that counts columns, then decides.

    A subclass overrides the parts that differ: mostly `strategy`, which holds the decision.
    `ReleaseProgram` (programs/interface.py) describes the attributes.
    """

    kind = ""
    wire = TWO_ROUND
    compared: str | None = ROW
    note = "two rounds: columns chosen from the counts of single columns"
    capabilities: tuple[Capability, ...] = (BoundDecision(), WeighedChoice())
    recomputed: str | None = None

    def capability(self, kind: type[C]) -> C | None:
        """Return the optional part `kind` of the release program; None if it lacks the part."""
        return next((part for part in self.capabilities if isinstance(part, kind)), None)

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield a problem if the policy's rule (method that bounds exposure) does not fit.

        In the statistical setting (other people in round 2) the rule must hold for people not
        counted.
        """
        is_fixed = scenario.population.setting == "fixed"
        if not is_fixed and resolved_policy(scenario).rule not in CARRIED_OVER:
            yield problem(
                ("policy", "rule"),
                f"{quoted(scenario.policy.rule)} promises nothing about people who were not "
                "counted; "
                f'setting = "statistical" takes {listed(CARRIED_OVER)}',
            )

    def policy(self, scenario: Scenario) -> "AnnouncedPolicy":
        """Return the announced policy: limits on exposure, and the rule that proves them."""
        from ....protocol.wire.announcement import AnnouncedPolicy, Setting

        policy = scenario.policy
        setting = Setting(scenario.population.setting)
        delta = policy.delta if setting is Setting.STATISTICAL else 0.0
        proof = self.proof(resolved_policy(scenario))
        return AnnouncedPolicy(
            policy.k, policy.max_exposure, proof, policy.publish_marginals, setting, delta
        )

    def proof(self, policy: Policy) -> str:
        """Return the announced name of the method that bounds exposure: here the kind of policy."""
        return policy.kind

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Return the curator's strategy: to decide by a rule, from counts of single columns.

        The rule is the policy's method to bound exposure. others: the number of people in round 2
        if they are other people; None: the same people.
        """
        if scenario.population.rows is not None:
            from .persons import ByPersons

            return ByPersons(scenario.policy, scenario.population.rows)
        from .rules import BySingles, decision_rule

        return BySingles(decision_rule(scenario.policy, others), scenario.policy)

    def rounds(self, policy: Policy, schema: "Schema") -> "Sequence[Call]":
        """Return the largest possible queries of a session, the release included.

        The queries are: each column by itself; groups of columns, if the release program asks for
        groups; all columns that may be released, together.
        """
        from ....protocol.board.strategies import first_call
        from ....protocol.wire.announcement import Program
        from ....protocol.wire.messages import Call
        from ....protocol.wire.parties import Role

        fixed, deeper = self.capability(FixedColumns), self.capability(DeeperQueries)
        names = fixed.columns(policy, schema) if fixed else schema.names
        joint = tuple(sorted(schema.column(name) for name in names))
        groups = deeper.calls(policy, joint) if deeper else ()
        calls = [first_call(Program(self.wire), schema), *groups]
        return [*calls, Call(len(calls) + 1, Role.ANALYST, (joint,))]

    def score(self, session: "Session") -> "Scored":
        """Return the considered sets of columns, and the limits that would admit more columns."""
        from ..interface import Scored

        decision = self.capability(ColumnDecision)
        if decision is None:
            return Scored()
        considered, dropped = decision.considered(session), decision.dropped(session)
        return Scored(considered=considered, dropped=dropped)

    def verify(self, evidence: "ProgramEvidence") -> str:  # noqa: ARG002
        """Raise NoGround: the release program adds no findings that could be verified."""
        raise NoGround(
            "this kind of policy writes no `findings` into result.json that could be recomputed"
        )


def verify_decision(
    decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
) -> None:
    """Recompute the certificate of a decision from the counts of single columns in round 1.

    The rule of a certificate names the method that bounds the exposure. A rule that begins with
    PERSONS bounds the exposed persons where a person may have several rows; `verify_persons`
    recomputes it from the same counts.

    Raises VerificationError if the certificate's exposure bound is smaller than can be proved.
    """
    if decision.certificate.rule.startswith(PERSONS):
        from .persons import verify_persons

        verify_persons(decision, round_results)
        return
    from ....protocol.rounds.tallying import marginals
    from .rules import verify_certificate

    counts, _ = marginals(round_results[0].counts)
    verify_certificate(decision.certificate, counts, decision.kept, schema)
