"""The release program `local-suppression`: the choice of suppressed values and of their cover rate.

After round 1 the curator knows the count of each value. It decides which columns to release and
which of their values to suppress. People with a suppressed value leave a blank. All other people
leave a blank with a stated probability (a cover), so that at least k people leave a blank
(analysis/suppression/value_suppression.py). A value of fewer than k people is always suppressed;
further values are suppressed if more cells can then be released.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....errors import VerificationError
from ....protocol.board.strategies import RoundResult
from ....protocol.rounds.tallying import marginals
from ....protocol.wire.hiding_rules import Redact
from ....protocol.wire.messages import Call, Counts, Decision, DecisionCertificate
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ..curated.rules import as_certificate, prove_singles
from ..weights import column_weights

if TYPE_CHECKING:
    from ....analysis.suppression.value_suppression import SuppressionColumn

KIND = "local-suppression"  # the kind of policy


@dataclass(frozen=True, slots=True)
class LocalSuppressionStrategy:
    """The strategy of a curator of the release program `local-suppression`.

    Attributes:
        policy: the policy of the scenario.
    """

    policy: Policy

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:  # noqa: ARG002
        """Return None: there is no query after round 1."""
        return None

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the columns to release and the values to suppress, so that most cells have values.

        A cell is the value of a person in a column; a suppressed or covered cell is blank. heard:
        the counts of round 1.
        """
        from ....analysis.suppression.column_suppression import people_allowed
        from ....analysis.suppression.value_suppression import choose

        policy, tallies = self.policy, heard[0].counts
        n, values = max_respondents(tallies), [ranked(tally) for tally in tallies]
        allowed = [j for j, name in enumerate(schema.names) if name not in policy.forbidden]
        choice = choose(
            [counted(tally, texts) for tally, texts in zip(tallies, values, strict=True)],
            policy.k,
            people_allowed(policy.max_exposure, n),
            column_weights(policy, schema.names),
            policy.delta,
            allowed,
            [schema.column(name) for name in policy.required],
        )
        released_columns = tuple(j for j, level in enumerate(choice.levels) if level)
        hidden = tuple(
            Redact(j, tuple(sorted(values[j][choice.levels[j] :])), column.cover)
            for j in released_columns
            if choice.levels[j] < len(values[j])
            for column in (cover_column(policy, tallies, j, choice.levels[j]),)
        )
        thresholds = tuple(float(t) for t in choice.proof.thresholds)
        delta = policy.delta if any(rule.cover for rule in hidden) else None
        proof = DecisionCertificate(KIND, policy.k, n, choice.proof.people, thresholds, None, delta)
        return Decision(released_columns, proof, hidden)

    def prove(
        self,
        schema: Schema,
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> DecisionCertificate:
        """Return the certificate for the people of a release: the coverage bound on exposed people.

        The coverage bound counts the cells of common values; a blank counts as a value. joint: the
        released counts. They have the number of blanks, so no probability of error remains.
        """
        return prove_singles(self.policy, "coverage", schema, decision.kept, joint)


def global_decision(policy: Policy, schema: Schema, tallies: Sequence[Counts]) -> Decision:
    """Return the decision that releases whole columns, without suppression, for comparison.

    It obeys the policy's k and max_exposure as well. tallies: the counts of round 1.
    """
    from ....analysis.suppression import choose_columns

    counts, n = marginals(tallies)
    required, forbidden = (
        [schema.column(name) for name in names] for names in (policy.required, policy.forbidden)
    )
    weights = column_weights(policy, schema.names)
    limits = policy.k, policy.max_exposure
    free = choose_columns(counts, *limits, weights, "coverage", (), forbidden)
    if not set(required) <= set(free.kept):
        from ....analysis.composition import best_bound

        if best_bound([counts[j] for j in required], policy.k).value > policy.max_exposure:
            return Decision((), DecisionCertificate("coverage", policy.k, n, 0))
        free = choose_columns(counts, *limits, weights, "coverage", required, forbidden)
    return Decision(free.kept, as_certificate(free.certificate, policy, n))


def max_respondents(tallies: Sequence[Counts]) -> int:
    """Return the number of respondents of round 1: the largest total of the counts of a column.

    tallies: the counts of round 1, by column.
    """
    return max((sum(tally.values()) for tally in tallies), default=0)


def ranked(tally: Counts) -> tuple[str, ...]:
    """Return the values of a column that occur, the most frequent first.

    Values of equal count stand in alphabetical order. tally: the counts of the column.
    """
    return tuple(value for (value,) in sorted(tally, key=lambda cell: (-tally[cell], cell)))


def counted(tally: Counts, values: Sequence[str]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the number of people with each of some values. tally: the counts of their column."""
    return np.array([tally[value,] for value in values], dtype=np.int64)


def cover_column(
    policy: Policy, tallies: Sequence[Counts], j: int, level: int
) -> "SuppressionColumn":
    """Return the bounds of a column in which all but the `level` most frequent values are blank.

    The result has the cover: the probability with which people with other values leave a blank too.
    It is the smallest that gives at least k blanks, except with probability policy.delta divided by
    the number of columns. With k blanks, no person stands out by a blank. tallies: the counts of
    round 1 by column. j: the column's index.
    """
    from ....analysis.suppression.value_suppression import column

    n = max_respondents(tallies)
    counts = counted(tallies[j], ranked(tallies[j]))
    chosen = column(counts, level, n, policy.k, policy.delta / len(tallies))
    if chosen is None:
        raise VerificationError(
            f"column {j}: too few people answered; at least {policy.k} must leave the value blank, "
            "so that a blank does not point to a person"
        )
    return chosen


def verify(decision: Decision, schema: Schema, round_results: Sequence[RoundResult]) -> None:
    """Raise VerificationError unless the counts of round 1 prove the claims of a decision.

    The claims are the suppressed values, the probabilities of suppressing other values at random
    (as cover), and the bound on exposed people.
    """
    from ....analysis.suppression.value_suppression import proved

    claimed, tallies = decision.certificate, round_results[0].counts
    policy = Policy(kind="local-suppression", k=claimed.k, delta=claimed.slack or 0.5)
    rules = {rule.column: rule for rule in decision.hidden if isinstance(rule, Redact)}
    columns = []
    for j in decision.kept:
        values = ranked(tallies[j])
        level = len(values) - (len(rules[j].values) if j in rules else 0)
        column = cover_column(policy, tallies, j, level)
        name = schema.names[j]
        if j not in rules and min(tallies[j].values()) < claimed.k:
            raise VerificationError(
                f"{name}: a value of fewer than {claimed.k} people is released by name"
            )
        if j in rules:
            if set(rules[j].values) != set(values[level:]):
                raise VerificationError(f"{name}: the suppressed values are not the rarest")
            if rules[j].cover != column.cover:
                raise VerificationError(
                    f"{name}: the probability of random blanks (cover) is not the smallest "
                    f"that gives at least {claimed.k} blanks"
                )
        columns.append(column)
    n = max_respondents(tallies)
    people = proved(columns, claimed.k, n, [int(t) for t in claimed.thresholds])
    if people > claimed.people or n != claimed.n:
        raise VerificationError(
            f"certificate: claims at most {claimed.people:,} of {claimed.n:,} people exposed; the "
            f"counts of round 1 prove {people:,} of {n:,} people"
        )
