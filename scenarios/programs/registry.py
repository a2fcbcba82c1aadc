"""Which program a kind of policy means."""

from collections.abc import Sequence
from pathlib import Path

from ...protocol.messages import Decision
from ...protocol.programs import Heard, Strategy
from ...protocol.schema import Schema
from ...protocol.tallying import marginals
from ..populations import Population
from ..populations import facts as facts_of_people
from ..populations import samples as samples_of_people
from ..populations.facts import Facts
from ..populations.samples import Samples
from ..schema.kinds import KIND, SETS
from ..schema.model import Scenario
from ..schema.problems import Problem
from .randomized.questions import Question, questions
from .two_round import BySingles, decision_rule, verify_certificate


def strategy(scenario: Scenario, others: int | None = None) -> Strategy:
    """Give what a scenario's curator asks and decides.

    others: in the statistical setting, how many people round 2 asks; None: the same people.
    """
    match scenario.policy.kind:
        case "hierarchical":
            from .hierarchical.strategy import Hierarchical

            return Hierarchical(scenario.policy)
        case "local-suppression":
            from .local_suppression.strategy import LocalSuppression

            return LocalSuppression(scenario.policy)
        case _:
            return BySingles(decision_rule(scenario.policy, others), scenario.policy)


def verify_decision(decision: Decision, schema: Schema, heard: Sequence[Heard]) -> None:
    """Recompute a decision's certificate from all that the curator read.

    Raises VerificationError if it claims less than can be proved of the kept columns.
    """
    from .hierarchical import strategy as hierarchical
    from .local_suppression import strategy as local_suppression

    proof = decision.certificate
    if proof.rule.startswith(hierarchical.KIND):
        hierarchical.verify(proof, schema, heard, decision.kept)
    elif proof.rule.startswith(local_suppression.KIND):
        local_suppression.verify(decision, schema, heard)
    else:
        counts, _ = marginals(heard[0].counts)
        verify_certificate(proof, counts, decision.kept, schema)


def asked(scenario: Scenario, people: "Population") -> tuple[Question, ...]:
    """The questions of a scenario that are answered with noise; () in any other program."""
    if scenario.policy.kind == SETS:
        from .incidence.questions import pieces

        return pieces(scenario.local.epsilon or 0.0, people)
    if scenario.policy.kind != KIND:
        return ()
    return questions(scenario, people.schema.names, people.values)


def facts(scenario: Scenario, base: Path) -> tuple[Facts, list[Problem]]:
    """Say who takes part in a scenario, and what it asks of its source in vain."""
    if scenario.policy.kind == SETS:
        from ..populations.set_facts import people

        return people(scenario, base)
    return facts_of_people.people(scenario, base)


def samples(scenario: Scenario, seed: int | None) -> Samples:
    """Draw the people of a scenario. Raises DataError for data that do not fit it."""
    if scenario.policy.kind == SETS:
        from ..populations.sets import owners

        people = owners(scenario, seed)
        return Samples(people, people.n, people.n)
    return samples_of_people.samples(scenario, seed)
