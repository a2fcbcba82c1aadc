"""From a scenario's policy to the decision rule the curator is handed.

    kind        columns kept
    exposure    the heaviest set whose bound on exposed people is within max_exposure
    fixed       those the scenario names, whatever the bound says
    all         every one

Whatever is kept, the certificate says what the rule proves of it.
"""

from collections.abc import Sequence
from typing import Any

from ..protocol.ideal import DecisionRule
from ..protocol.messages import Certificate, Decision
from ..protocol.schema import Schema
from .model import Policy
from .worth import worth

WORST_CASE_SECONDS = 10.0  # for every set of columns that the rule worst-case looks at


def decision_rule(policy: Policy) -> DecisionRule:
    """Give the rule by which a policy decides, for the curator and for the ideal functionality."""

    def decide(schema: Schema, counts: Sequence[Sequence[int]], people: int) -> Decision:
        kept, proof = _decide(policy, schema, counts)
        return Decision(kept, as_certificate(proof, policy.k, people))

    return decide


def _decide(
    policy: Policy, schema: Schema, counts: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], Any]:
    from ..analysis.suppression import choose_columns

    if policy.kind == "exposure":
        weights = worth(policy, schema.names)
        choice = choose_columns(
            counts, policy.k, policy.max_exposure, weights, named_rule(policy.rule)
        )
        return choice.kept, choice.certificate
    names = schema.names if policy.kind == "all" else policy.keep
    kept = tuple(sorted(schema.column(name) for name in names))
    return kept, bound(policy, [counts[column] for column in kept])


def named_rule(rule: str) -> Any:
    """Give a rule as the analysis takes it: its name, or a function for the exact worst case."""
    if rule != "worst-case":
        return rule
    from ..analysis.worst_case import worst_case

    return lambda marginals, k: worst_case(marginals, k, WORST_CASE_SECONDS)


def bound(policy: Policy, counts: Sequence[Sequence[int]]) -> Any:
    """What the policy's rule proves of columns with these counts."""
    from ..analysis.composition import best_bound

    rule = named_rule(policy.rule)
    return rule(counts, policy.k) if callable(rule) else best_bound(counts, policy.k, rule)


def as_certificate(proof: Any, k: int, people: int) -> Certificate:
    """Write down a bound of the analysis as the protocol's plain data."""
    exposed = proof.upper if hasattr(proof, "upper") else proof.people
    thresholds = tuple(float(t) for t in getattr(proof, "thresholds", ()))
    slack = getattr(proof, "c", None)
    return Certificate(
        str(proof.rule), k, people, exposed, thresholds, getattr(proof, "pivot", None), slack
    )


def verify_certificate(certificate: Certificate, counts: Sequence[Sequence[int]]) -> None:
    """Recompute a certificate from the marginals; VerificationError if it claims something else."""
    from ..analysis.certificate import Certificate as Proof
    from ..analysis.certificate import Rule
    from ..errors import VerificationError

    if certificate.rule == "worst-case":
        from ..analysis.worst_case import worst_case

        found = worst_case(counts, certificate.k, WORST_CASE_SECONDS)
        if found.upper > certificate.people:
            raise VerificationError(f"certificate: claims {certificate.people:,} people; {found}")
        return
    thresholds = tuple(int(t) if t.is_integer() else t for t in certificate.thresholds)
    Proof(
        Rule(certificate.rule),
        certificate.k,
        certificate.n,
        certificate.people,
        thresholds,
        certificate.pivot,
        certificate.slack,
    ).verify(counts)
