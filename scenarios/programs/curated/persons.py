"""The decision of a curator where each person may have several rows, and its proof.

A count is the number of different persons with a value. A person with several values of a column is
in several counts. analysis/composition/person_bound.py bounds the exposed persons. A certificate
calls this rule `persons rows=S`: S is the number of ballots of a person to a query, from which the
number of persons follows.

The persons of the release may differ from the persons of round 1. A person that left had at most S
different rows, so at most S cells lose a person; in each such cell at most k - 1 remaining persons
become exposed. A person that joined makes no cell smaller, so only this person may be exposed in
addition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....errors import VerificationError
from ....protocol.board.strategies import RoundResult
from ....protocol.wire.messages import Call, Counts, Decision, DecisionCertificate
from ....protocol.wire.rows_per_person import people_among, without_dummies
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ..dropped_columns import UnreleasedColumn
from ..interface import ConsideredColumns, Session
from ..registry import fixed_columns
from ..weights import column_weights
from .options import MAX_LISTED_COLUMNS
from .rule_names import PERSONS

if TYPE_CHECKING:
    from ....analysis.suppression import ColumnChoice

# beginning of a certificate's rule; the number of ballots per person follows
BALLOTS = f"{PERSONS} rows="


@dataclass(frozen=True, slots=True)
class PersonCounts:
    """The number of persons with each value of each column, and the number of all persons.

    Attributes:
        counts: persons with each value, for each column; a person with several values is in several
            counts.
        people: all persons.
    """

    counts: tuple[tuple[int, ...], ...]
    people: int

    @classmethod
    def from_round(cls, tally: Sequence[Counts], rows: int) -> "PersonCounts":
        """Return the counts of persons from the counts of round 1, dummies included.

        A dummy is a ballot without a row. tally: the counts of each column. rows: ballots of a
        person to a query. A ballot that is missing in a column counts as a value that a single
        person has: the most exposed case.
        """
        totals = [sum(counts.values()) for counts in tally]
        people = people_among(max(totals), rows)
        counts = (
            (*without_dummies(counts).values(), *[1] * (rows * people - total))
            for counts, total in zip(tally, totals, strict=True)
        )
        return cls(tuple(counts), people)


@dataclass(frozen=True, slots=True)
class ByPersons:
    """The strategy of a curator that decides from the number of persons with each value.

    Attributes:
        policy: the policy of the scenario.
        rows: ballots of a person to a query.
    """

    policy: Policy
    rows: int

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:  # noqa: ARG002
        """Return None: the curator makes no query after round 1."""
        return None

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the columns to release, with a certificate on the number of exposed persons.

        heard: the query of round 1 with its counts.
        """
        person_counts = PersonCounts.from_round(heard[0].counts, self.rows)
        fixed = fixed_columns(self.policy, schema)
        if fixed is None:
            released_columns = choose(self.policy, schema, person_counts).kept
        else:
            released_columns = tuple(sorted(schema.column(name) for name in fixed))
        exposed = max_exposed(person_counts, self.policy.k, released_columns)
        rule = f"{BALLOTS}{self.rows}"
        return Decision(
            released_columns,
            DecisionCertificate(rule, self.policy.k, person_counts.people, exposed),
        )

    def prove(
        self,
        schema: Schema,  # noqa: ARG002
        calls: Sequence[Call],  # noqa: ARG002
        decision: Decision,
        joint: Counts,
    ) -> DecisionCertificate:
        """Return the certificate of a release: a bound on exposed persons among its persons.

        The bound of the decision is corrected for ballots that are missing or new. joint: the
        released counts, dummies (ballots without a row) included.
        """
        decided = decision.certificate
        ballots = sum(joint.values())
        now, missing = people_among(ballots, self.rows), decided.n * self.rows - ballots
        # Compared with round 1, each missing ballot makes one cell smaller, so up to k - 1 other
        # persons in this cell become exposed. A new person makes no cell smaller, so only this
        # person may be exposed in addition.
        more = missing * max(decided.k - 1, 0) if missing > 0 else -(missing // self.rows)
        return DecisionCertificate(decided.rule, decided.k, now, min(now, decided.people + more))


def max_exposed(person_counts: PersonCounts, k: int, released_columns: Sequence[int]) -> int:
    """Return an upper bound on the number of exposed persons in a release of some columns.

    person_counts: the counts of round 1. k: the smallest safe class, in persons. released_columns:
    the indices of the columns.
    """
    from ....analysis.composition.person_bound import PersonBounds

    return (
        PersonBounds(person_counts.counts, k, person_counts.people).max_exposed(released_columns)
        if released_columns
        else 0
    )


def choose(policy: Policy, schema: Schema, person_counts: PersonCounts) -> "ColumnChoice":
    """Choose the columns of largest total weight that expose few enough persons for max_exposure.

    The result also has, for each suppressed column, the limits that would admit it. If the required
    columns alone exceed max_exposure, no column is released.
    """
    from ....analysis.suppression.person_choice import choose_person_columns

    required, forbidden = (
        [schema.column(name) for name in names] for names in (policy.required, policy.forbidden)
    )
    if max_exposed(person_counts, policy.k, required) / person_counts.people > policy.max_exposure:
        required, forbidden = [], list(range(len(person_counts.counts)))
    weights = column_weights(policy, schema.names)
    numbers = person_counts.counts, policy.k, person_counts.people, policy.max_exposure
    return choose_person_columns(*numbers, weights, required, forbidden)


def verify_persons(decision: Decision, round_results: Sequence[RoundResult]) -> None:
    """Recompute the certificate of a decision about persons from the counts of round 1.

    Raises VerificationError if the certificate is about another number of persons, or its bound is
    smaller than the proved bound.
    """
    claimed = decision.certificate
    rows = int(claimed.rule.removeprefix(BALLOTS))
    person_counts = PersonCounts.from_round(round_results[0].counts, rows)
    people = max_exposed(person_counts, claimed.k, decision.kept)
    if claimed.n != person_counts.people or claimed.people < people:
        raise VerificationError(
            f"certificate: claims at most {claimed.people:,} of {claimed.n:,} persons exposed; the "
            f"counts of {person_counts.people:,} persons prove {people:,}"
        )


def considered(session: Session) -> tuple[ConsideredColumns, ...]:
    """Return every set of columns with its bound on the share of exposed persons.

    () with more than 6 columns, or if round 1 was aborted. The bound holds where each person may
    have several rows.
    """
    from ....analysis.composition.person_bound import PersonBounds

    policy, names = session.settings.policy, session.crowd.people.schema.names
    person_counts = _person_counts(session)
    if person_counts is None or len(names) > MAX_LISTED_COLUMNS:
        return ()
    bounds, possible = PersonBounds(person_counts.counts, policy.k, person_counts.people), []
    for number in range(1, 1 << len(names)):
        columns = [j for j in range(len(names)) if number >> j & 1]
        value = bounds.max_exposed(columns) / person_counts.people
        named = tuple(names[j] for j in columns)
        possible.append(ConsideredColumns(named, value, PERSONS, value <= policy.max_exposure))
    return tuple(sorted(possible, key=lambda each: len(each.columns)))


def dropped(session: Session) -> tuple[UnreleasedColumn, ...]:
    """Return each suppressed column with the max_exposure, and the k, that would admit it.

    () if round 1 was aborted.
    """
    policy, schema, person_counts = (
        session.settings.policy,
        session.crowd.people.schema,
        _person_counts(session),
    )
    if person_counts is None:
        return ()
    return tuple(
        UnreleasedColumn(
            schema.names[column.column],
            column.smallest_target,
            column.largest_k,
            schema.names[column.column] in policy.forbidden,
        )
        for column in choose(policy, schema, person_counts).dropped
    )


def _person_counts(session: Session) -> PersonCounts | None:
    """Return the number of persons with each value in round 1; None if round 1 was aborted."""
    played, rows = session.played, session.settings.rows or 1
    return PersonCounts.from_round(played.tallies[0], rows) if played.tallies else None
