"""Exposure bounds proved from the counts of single columns, and the choice of columns by them.

A rule of `analysis` proves the bound. In the statistical setting other people answer in round 2;
the bound then also holds for them, although they are not in the counts. A certificate states the
bound of a rule on the released columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as changed

from ....errors import VerificationError
from ....protocol.board.strategies import ByMarginals, DecisionRule
from ....protocol.rounds.tallying import marginals, summed
from ....protocol.wire.messages import Call, Counts, Decision, DecisionCertificate
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ..registry import fixed_columns
from ..weights import column_weights
from .rule_names import PLAIN, PRICED, policy_for

if TYPE_CHECKING:
    from ....analysis.composition import Certificate
    from ....analysis.suppression import ColumnChoice

# Most cells of the tables of all sets of columns, added up, to list each set with the bound of the
# rule `margins`. With more cells, sets are listed with the coverage bound, which is faster.
LISTED = 1_000
# prefix of a rule's name in certificates of the statistical setting, where the people of round 2
# are not in the counts
STATISTICAL = "statistical-"
# Limits of the rule worst-case, which searches for the table that exposes the most people. For each
# set of columns: the nodes of a search tree, and the rounds of a local search by swaps of cells. At
# a limit, the search ends with the upper bound proved so far.
NODES, ROUNDS = 1_000, 1_000


@dataclass(frozen=True, slots=True)
class BySingles(ByMarginals):
    """The strategy of a curator that decides by a rule from the counts of single columns.

    Attributes:
        policy: the policy of the scenario; its rule (method) bounds the exposure of a release.
    """

    policy: Policy

    def prove(
        self,
        schema: Schema,
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> DecisionCertificate:
        """Return the certificate of a release: a bound on the exposed people in the release.

        The policy's rule proves the bound from the counts of each released column by itself. joint:
        the released counts, of which the single columns are sums.
        """
        return prove_singles(self.policy, self.policy.rule, schema, decision.kept, joint)


def prove_singles(
    policy: Policy, rule: str, schema: Schema, released_columns: Sequence[int], joint: Counts
) -> DecisionCertificate:
    """Return the certificate that a rule proves for the people counted in a released table.

    The rule (a method that bounds exposure) uses the counts of each column of the table. joint: the
    counts of the table. Even if round 1 had other people, no probability of error remains, because
    the people of the table are counted here.
    """
    counts, people = marginals([summed(joint, (place,)) for place in range(len(released_columns))])
    features = Schema(tuple(schema.features[column] for column in released_columns))
    named = named_rule(changed(policy, rule=rule), None, schema)
    return as_certificate(bound(named, listed(features, counts), policy.k), policy, people)


def decision_rule(policy: Policy, new_people: int | None = None) -> DecisionRule:
    """Return a function from the counts of single columns to a curator's decision under a policy.

    new_people: the number of people in round 2 if they are other people; None: the same people.
    """

    def decide(schema: Schema, counts: Sequence[Sequence[int]], people: int) -> Decision:
        """Return the released columns with their certificate.

        counts: for each column, the people with each value. people: respondents of round 1.
        """
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

    rule: the method that bounds exposure. fixed_columns: columns that are released at any bound;
    None: they are chosen by weight and bound. counts: people with each value, for each column.
    """
    if fixed_columns is None:
        choice = choose(policy, rule, schema, counts)
        return choice.kept, choice.certificate
    released_columns = tuple(sorted(schema.column(name) for name in fixed_columns))
    return released_columns, bound(rule, [counts[column] for column in released_columns], policy.k)


def release_nothing(policy: Policy, people: int) -> Decision:
    """Return the decision that releases no column: its certificate states 0 exposed people."""
    return Decision((), DecisionCertificate("exact", policy.k, people, 0, ()))


def choose(
    policy: Policy, rule: Any, schema: Schema, counts: Sequence[Sequence[int]]
) -> "ColumnChoice":
    """Choose the columns of largest total weight with an exposure bound within max_exposure.

    rule: the method that bounds exposure. counts: for each column, the people with each value. The
    result also has the limits that would admit each suppressed column. If the required columns
    alone exceed max_exposure, no column is released.
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

    A rule is a method that bounds exposure. new_people: the number of people in round 2 if they are
    other people (the statistical setting); None: the same people. In the statistical setting a
    bound may fail with probability delta. Each column has an equal part of delta, so that the
    bounds of all sets of columns hold at once, and the choice may depend on the counts. If a column
    has an open domain (unlisted values), all columns are treated as open, the safe assumption.
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
    """Return the rule (method) by which result.json lists exposure bounds of sets of columns.

    With many cells it is the coverage bound (a count of the cells of common values). The bound by
    prices (dual variables of a linear program) would take too long for every set.
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
    """Return the bound of a rule on exposed people outside the counts, with confidence 1 - delta.

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
    """Return the bound on exposed people that a rule proves from the counts of single columns.

    rule: the name of a method of `analysis` that bounds exposure, or a function of counts and k.
    counts: for each column, the people with each value. k: the smallest safe class, in people.
    """
    from ....analysis.composition import best_bound

    return rule(counts, k) if callable(rule) else best_bound(counts, k, rule)


def as_certificate(proof: Any, policy: Policy, people: int) -> DecisionCertificate:
    """Convert a bound on exposed people to a certificate, the plain data of the protocol.

    proof: the bound, as `analysis` computes it. people: the people that it is about. If they are
    other people than in round 1, the rule is called `statistical-...`, and the field `slack` is
    delta, the probability that the bound fails.
    """
    confidence = getattr(proof, "confidence", None)
    if confidence is not None:
        name = f"{STATISTICAL}{proof.rule}"
        return DecisionCertificate(name, policy.k, people, proof.people, (), None, policy.delta)
    exposed = proof.upper if hasattr(proof, "upper") else proof.people
    thresholds = tuple(float(t) for t in getattr(proof, "thresholds", ()))
    slack = getattr(proof, "c", None)
    return DecisionCertificate(
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
    certificate: DecisionCertificate,
    counts: Sequence[Sequence[int]],
    released_columns: Sequence[int],
    schema: Schema,
) -> None:
    """Recompute the bound of a certificate from the marginals of all columns of a schema.

    Raises VerificationError if the certificate's bound on exposed people is smaller than the bound
    that can be proved for the released columns. counts: for each column, the people with each
    value. released_columns: their indices.
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


def _compare(certificate: DecisionCertificate, people: int, reason: str) -> None:
    """Raise VerificationError if a certificate claims fewer exposed people than were computed.

    people: the computed number. reason: a clause for the message.
    """
    if people > certificate.people:
        raise VerificationError(f"certificate: claims {certificate.people:,} people; {reason}")


def _as_proof(certificate: DecisionCertificate) -> "Certificate":
    """Convert a certificate of the protocol to a certificate of `analysis`, which can be verified.

    Thresholds without a fraction become integers, as in `analysis`.
    """
    from ....analysis.composition import Certificate, Rule

    thresholds = tuple(int(t) if t.is_integer() else t for t in certificate.thresholds)
    return Certificate(
        Rule(certificate.rule),
        certificate.k,
        certificate.n,
        certificate.people,
        thresholds,
        certificate.pivot,
        certificate.slack,
    )
