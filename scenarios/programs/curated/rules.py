"""Exposure bounds proved from the counts of single columns, and the choice of columns by them.

The bound is by a rule of `analysis`; in the statistical setting (other people in round 2) it is
carried over to people outside the counts. A certificate states the bound that a rule proves, for
any set of released columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as changed

from ....errors import VerificationError
from ....protocol.board.strategies import ByMarginals, DecisionRule
from ....protocol.rounds.tallying import marginals, summed
from ....protocol.wire.messages import Call, Certificate, Counts, Decision
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ..registry import fixed_columns
from ..weights import column_weights
from .rule_names import PLAIN, PRICED, policy_for

if TYPE_CHECKING:
    from ....analysis.composition import Certificate as Proof
    from ....analysis.suppression import ColumnChoice

LISTED = 1_000  # cells of all sets of columns; with more, sets are listed with the coverage bound
STATISTICAL = "statistical-"  # prefix of a rule with a bound for people outside the counts
# Limits of the search by rule worst-case, per set of columns: nodes of its tree, rounds of swaps.
NODES, ROUNDS = 1_000, 1_000


@dataclass(frozen=True, slots=True)
class BySingles(ByMarginals):
    """The strategy of a curator that decides by a rule from the counts of single columns.

    Attributes:
        policy: the policy of the scenario; its rule proves the bound for the people of a release.
    """

    policy: Policy

    def prove(
        self,
        schema: Schema,
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> Certificate:
        """Return the certificate for the people of a release, from its own single columns."""
        return prove_singles(self.policy, self.policy.rule, schema, decision.kept, joint)


def prove_singles(
    policy: Policy, rule: str, schema: Schema, released_columns: Sequence[int], joint: Counts
) -> Certificate:
    """Return the certificate of a rule for the people counted in a table, from its single columns.

    joint: the counts of the table, which has the released columns. Also in the statistical setting:
    these people have been counted, so no probability of error remains.
    """
    counts, people = marginals([summed(joint, (place,)) for place in range(len(released_columns))])
    features = Schema(tuple(schema.features[column] for column in released_columns))
    named = named_rule(changed(policy, rule=rule), None, schema)
    return as_certificate(bound(named, listed(features, counts), policy.k), policy, people)


def decision_rule(policy: Policy, new_people: int | None = None) -> DecisionRule:
    """Return the function from the counts of single columns to a curator's decision, for a policy.

    new_people: in the statistical setting, the number of people in round 2; None: the same people.
    """

    def decide(schema: Schema, counts: Sequence[Sequence[int]], people: int) -> Decision:
        """Return the released columns with their certificate. people: respondents of round 1."""
        rule = named_rule(policy, new_people, schema)
        fixed = fixed_columns(policy, schema)
        released_columns, proof = _decide(policy, rule, schema, listed(schema, counts), fixed)
        return Decision(released_columns, as_certificate(proof, policy, new_people or people))

    return decide


def _decide(
    policy: Policy,
    rule: Any,
    schema: Schema,
    counts: Sequence[Sequence[int]],
    fixed_columns: Sequence[str] | None,
) -> tuple[tuple[int, ...], Any]:
    """Return the released columns and the bound on their exposure.

    fixed_columns: columns that are released for any bound; None: the rule chooses. counts: people
    with each value, for each column.
    """
    if fixed_columns is None:
        choice = choose(policy, rule, schema, counts)
        return choice.kept, choice.certificate
    released_columns = tuple(sorted(schema.column(name) for name in fixed_columns))
    return released_columns, bound(rule, [counts[column] for column in released_columns], policy.k)


def release_nothing(policy: Policy, people: int) -> Decision:
    """Return the decision that releases no column: its certificate states 0 exposed people."""
    return Decision((), Certificate("exact", policy.k, people, 0, ()))


def choose(
    policy: Policy, rule: Any, schema: Schema, counts: Sequence[Sequence[int]]
) -> "ColumnChoice":
    """Choose the heaviest columns within max_exposure.

    The result has the limits that would admit each other column. If the required columns alone
    exceed max_exposure, no column is released.
    """
    from ....analysis.suppression import choose_columns, choose_priced

    required, forbidden = (
        [schema.column(name) for name in names] for names in (policy.required, policy.forbidden)
    )
    weights = column_weights(policy, schema.names)
    required_counts = [counts[column] for column in required]
    if required and bound(rule, required_counts, policy.k).value > policy.max_exposure:
        required, forbidden = [], list(range(len(counts)))
    terms = counts, policy.k, policy.max_exposure, weights
    if rule == PRICED:
        return choose_priced(*terms, required, forbidden)
    return choose_columns(*terms, rule, required, forbidden)


def listed(schema: Schema, counts: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the counts of every column, with a zero for each unused value of a public domain."""
    return [
        [*count, *[0] * (len(feature.values or ()) - len(count))]
        for feature, count in zip(schema.features, counts, strict=True)
    ]


def named_rule(policy: Policy, new_people: int | None, schema: Schema) -> Any:
    """Return the rule of a policy for `analysis`: its name, or a function of marginals and k.

    A rule is a method that bounds exposure. In the statistical setting delta, the probability that
    a bound may fail, is shared out over all columns of the schema, so that the bounds of all sets
    hold at once and the choice may depend on the counts. If a column has an open domain (unlisted
    values), all columns are treated as open, which is the safe reading.
    """
    rule = policy_for(policy, people_counted=new_people is None).rule
    if new_people is not None:
        columns, public = len(schema.features), _public(schema)
        return lambda marginals, k: statistical(
            rule,
            marginals,
            k,
            new_people,
            policy.delta * len(marginals) / columns,
            public=public,
        )
    if rule != "worst-case":
        return rule
    from ....analysis.composition import worst_case

    return lambda marginals, k: worst_case(marginals, k, nodes=NODES, rounds=ROUNDS)


def listing_rule(rule: Any, counts: Sequence[Sequence[int]], k: int) -> Any:
    """Return the rule by which exposure bounds of sets of columns are listed for readers.

    With many cells it is the coverage bound (a count of the cells of common values), as the bound
    by prices (dual variables of a linear program) would take long.
    """
    if rule != PRICED:
        return rule
    from ....analysis.composition.margins_bound import joint_cells

    sets = prod(1 + joint_cells([count], k) for count in counts)
    return rule if sets <= LISTED else PLAIN


def statistical(
    rule: str,
    counts: Sequence[Sequence[int]],
    k: int,
    released: int,
    delta: float,
    *,
    public: bool,
) -> Any:
    """Return the bound of a rule on exposed people who were not counted, with confidence 1 - delta.

    rule: the name of a method that bounds exposure. released: the number of these people. public:
    whether the counts list every value of every domain, zeros included.
    """
    from ....analysis.estimation import statistical_bound

    name: Any = rule
    return statistical_bound(counts, k, released, delta, name, open_columns=() if public else None)


def _public(schema: Schema) -> bool:
    """Whether every column has a listed domain."""
    return all(feature.values is not None for feature in schema.features)


def bound(rule: Any, counts: Sequence[Sequence[int]], k: int) -> Any:
    """Return the bound on exposed people that a rule proves for columns with these counts.

    rule: the name of a method of `analysis` that bounds exposure, or a function of counts and k.
    """
    from ....analysis.composition import best_bound

    return rule(counts, k) if callable(rule) else best_bound(counts, k, rule)


def as_certificate(proof: Any, policy: Policy, people: int) -> Certificate:
    """Convert a bound on exposed people to a certificate, the plain data of the protocol.

    proof: the bound, as `analysis` computes it. A bound for people not counted has a rule called
    `statistical-...`; the field `slack` is then delta, the probability that the bound fails.
    """
    confidence = getattr(proof, "confidence", None)
    if confidence is not None:
        name = f"{STATISTICAL}{proof.rule}"
        return Certificate(name, policy.k, people, proof.people, (), None, policy.delta)
    exposed = proof.upper if hasattr(proof, "upper") else proof.people
    thresholds = tuple(float(t) for t in getattr(proof, "thresholds", ()))
    slack = getattr(proof, "c", None)
    return Certificate(
        str(proof.rule),
        policy.k,
        people,
        exposed,
        thresholds,
        getattr(proof, "pivot", None),
        slack,
        getattr(proof, "proof", b""),
    )


def verify_certificate(
    certificate: Certificate,
    counts: Sequence[Sequence[int]],
    released_columns: Sequence[int],
    schema: Schema,
) -> None:
    """Recompute the bound of a certificate from the marginals of all columns of a schema.

    Raises VerificationError if the certificate's bound on the released columns is smaller than can
    be proved.
    """
    rule, k = certificate.rule, certificate.k
    value_counts = listed(schema, counts)
    counts = [value_counts[column] for column in released_columns]
    if rule.startswith(STATISTICAL):
        delta = (certificate.slack or 0.0) * len(released_columns) / len(value_counts)
        name, public = rule.removeprefix(STATISTICAL), _public(schema)
        recomputed = statistical(name, counts, k, certificate.n, delta, public=public)
        _compare(certificate, recomputed.people, str(recomputed))
    elif rule == PRICED:
        from ....analysis.composition.check_margins import check_margins

        if certificate.n != sum(counts[0]):
            why = f"certificate: claims {certificate.n:,} people; {sum(counts[0]):,} are counted"
            raise VerificationError(why)
        check_margins(counts, k, certificate.people, certificate.proof)
    elif rule == "worst-case":
        from ....analysis.composition import worst_case

        worst = worst_case(counts, k, nodes=NODES, rounds=ROUNDS)
        _compare(certificate, worst.upper, str(worst))
    else:
        _as_proof(certificate).verify(counts)


def _compare(certificate: Certificate, people: int, reason: str) -> None:
    """Raise VerificationError if a certificate claims fewer exposed people than were computed."""
    if people > certificate.people:
        raise VerificationError(f"certificate: claims {certificate.people:,} people; {reason}")


def _as_proof(certificate: Certificate) -> "Proof":
    """Convert a certificate to the record of `analysis`, which has whole thresholds as integers."""
    from ....analysis.composition import Certificate as Proof
    from ....analysis.composition import Rule

    thresholds = tuple(int(t) if t.is_integer() else t for t in certificate.thresholds)
    return Proof(
        Rule(certificate.rule),
        certificate.k,
        certificate.n,
        certificate.people,
        thresholds,
        certificate.pivot,
        certificate.slack,
    )
